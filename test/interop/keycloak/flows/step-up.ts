// Step-up: a part of the application demands a stronger login.
import assert from 'node:assert/strict'
import { decodeJwt } from 'jose'
import { BrowserLike } from '#test/browser-like'
import { demandLevels } from '../levels.ts'
import { logIn } from '../login-pages.ts'
import { client, passwordOf } from '../realm.ts'
import { loginRoute } from '../routes.ts'
import type { Part } from '../suite.ts'

const ENTITY = '${request.uri.path} ${contexts.oauth2Info.id_token}'

export const stepUp: Part = {
  clients: (at) => [client(at, 'step-up', { attributes: { 'acr.loa.map': '{"silver":"1","gold":"2"}' } })],
  routes: (at) => {
    const gold = loginRoute(at, 'step-up', { filter: { acrValues: ['gold'] }, entity: ENTITY })
    return {
      // Routes are tried in the order of their names.
      '0-step-up-gold': {
        ...gold,
        name: '0-step-up-gold',
        condition: "${find(request.uri.path, '^/step-up/gold/')}",
      },
      'step-up': loginRoute(at, 'step-up', { entity: ENTITY }),
    }
  },
  flows: [
    {
      name: 'step-up by acr: silver for the application, gold for a part of it, without a second login there',
      run: async ({ at, admin }) => {
        await demandLevels(admin, 'step-up')
        const browser = new BrowserLike()
        const first = await logIn(browser, `${at.app}/step-up/page`)
        const acrOf = (text: string): unknown => decodeJwt(text.split(' ')[1] as string)['acr']
        assert.equal(acrOf(first.text), 'silver')
        const again = await browser.open(`${at.app}/step-up/gold/page`)
        assert.match(again.text, /name="password"/, `${again.status} ${again.url}`)
        const strong = await browser.submit(again, { password: passwordOf('alice') })
        assert.deepEqual([strong.status, strong.url], [200, `${at.app}/step-up/gold/page`])
        assert.equal(acrOf(strong.text), 'gold')
        assert.equal((await browser.ask(`${at.app}/step-up/gold/other`)).status, 200)
        assert.equal((await browser.ask(`${at.app}/step-up/page`)).status, 200)
      },
    },
  ],
}
