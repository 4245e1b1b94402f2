// Callbacks that can not be completed, login loops, and requests other than navigation.
import assert from 'node:assert/strict'
import { BrowserLike } from '#test/browser-like'
import { HTML_ERROR } from '../../relay.ts'
import { logIn, submitLogin } from '../login-pages.ts'
import { client } from '../realm.ts'
import { loginRoute } from '../routes.ts'
import type { Part } from '../suite.ts'

export const callbacks: Part = {
  clients: (at) => [
    client(at, 'callback'),
    client(at, 'consent', { consentRequired: true }),
    client(at, 'circle', { attributes: { 'access.token.lifespan': '1', 'use.refresh.tokens': 'false' } }),
  ],
  routes: (at) => ({
    callback: loginRoute(at, 'callback', { filter: { defaultLoginGoto: '/callback/home' } }),
    consent: loginRoute(at, 'consent'),
    circle: loginRoute(at, 'circle'),
  }),
  flows: [
    {
      name: 'a callback during an outage is 503, and a reload completes the login',
      run: async ({ at, relay }) => {
        const browser = new BrowserLike()
        let page = await browser.open(`${at.app}/callback/page`)
        await relay.failing(HTML_ERROR, async () => {
          page = await submitLogin(browser, page)
          assert.equal(page.status, 503)
        })
        const completed = await browser.open(page.url)
        assert.deepEqual([completed.status, completed.url], [200, `${at.app}/callback/page`])
      },
    },
    {
      name: 'a callback by the back button leads to the application; in another browser it is 400 with a link',
      run: async ({ at }) => {
        const browser = new BrowserLike()
        await logIn(browser, `${at.app}/callback/page`)
        const callback = browser.trail.find((url) => url.includes('/oidc/callback')) as string
        const again = await browser.open(callback)
        assert.deepEqual([again.status, again.url], [200, `${at.app}/callback/page`])
        const stranger = await new BrowserLike().open(callback)
        assert.equal(stranger.status, 400)
        assert.match(stranger.text, /href="[^"]*\/callback\/oidc\/login/)
      },
    },
    {
      name: 'the first of twenty tabs at the login page still returns to its own page',
      run: async ({ at }) => {
        const browser = new BrowserLike()
        const first = await browser.open(`${at.app}/callback/tab-0`)
        for (let tab = 1; tab < 20; tab += 1) await browser.open(`${at.app}/callback/tab-${tab}`)
        const page = await submitLogin(browser, first)
        assert.deepEqual([page.status, page.url], [200, `${at.app}/callback/tab-0`])
      },
    },
    {
      name: 'a login page that another tab has made stale returns to its own page',
      run: async ({ at }) => {
        const browser = new BrowserLike()
        const [one, other] = [
          await browser.open(`${at.app}/callback/one`),
          await browser.open(`${at.app}/callback/other`),
        ]
        assert.equal((await submitLogin(browser, one)).url, `${at.app}/callback/one`)
        const page = await submitLogin(browser, other)
        assert.deepEqual([page.status, page.url], [200, `${at.app}/callback/other`])
      },
    },
    {
      name: 'a user who refuses consent gets 403 with a link to log in again',
      run: async ({ at }) => {
        const browser = new BrowserLike()
        const consent = await logIn(browser, `${at.app}/consent/page`)
        assert.match(consent.text, /kc-oauth|name="cancel"/)
        const page = await browser.submit(consent, { cancel: 'No' })
        assert.equal(page.status, 403)
        assert.match(page.text, /href="[^"]*\/consent\/oidc\/login/)
      },
    },
    {
      name: 'short-lived tokens end in an error page, not in a login loop',
      run: async ({ at, relay }) => {
        const browser = new BrowserLike()
        const statuses: number[] = []
        const logins = await relay.count('/token', async () => {
          await logIn(browser, `${at.app}/circle/page`)
          for (let round = 0; round < 5; round += 1) {
            await new Promise((resolve) => setTimeout(resolve, 1100))
            statuses.push((await browser.open(`${at.app}/circle/page`)).status)
          }
        })
        assert.ok(statuses.includes(500), statuses.join())
        assert.ok(logins <= 2, `${logins} logins`)
      },
    },
    {
      name: 'requests other than navigation get 401; a form gets a page about the ended session',
      run: async ({ at, gateway }) => {
        const { host } = new URL(at.app)
        for (const header of [{ 'sec-fetch-mode': 'cors' }, { 'x-requested-with': 'XMLHttpRequest' }]) {
          const answer = await gateway.ask('/callback/data', { headers: { host, ...header } })
          assert.equal(answer.status, 401, JSON.stringify(header))
          assert.match(String(answer.headers['www-authenticate']), /^Login uri="/)
        }
        const form = await new BrowserLike().ask(`${at.app}/callback/form`, {
          method: 'POST',
          body: new URLSearchParams({ field: 'value' }),
        })
        assert.equal(form.status, 401)
        assert.match(form.text, /<html/i)
      },
    },
  ],
}
