// User info: requested only if it is read; a rejection ends no session.
import assert from 'node:assert/strict'
import { BrowserLike } from '#test/browser-like'
import { logIn } from '../login-pages.ts'
import { client } from '../realm.ts'
import { loginRoute } from '../routes.ts'
import type { Part } from '../suite.ts'

const EMAIL = '${request.uri.path} email ${contexts.oauth2Info.user_info.email}'

export const userInfo: Part = {
  clients: (at) => [
    client(at, 'unread-info'),
    client(at, 'read-info'),
    // Keycloak's user info rejects tokens without `sub` and `openid`, which lightweight tokens do not have.
    client(at, 'refused-info', {
      attributes: { 'client.use.lightweight.access.token.enabled': 'true' },
      defaultClientScopes: ['profile', 'roles'],
    }),
    client(at, 'expiring-info', { attributes: { 'access.token.lifespan': '2' } }),
  ],
  routes: (at) => ({
    'unread-info': loginRoute(at, 'unread-info'),
    'read-info': loginRoute(at, 'read-info', { entity: EMAIL }),
    'refused-info': loginRoute(at, 'refused-info', { entity: EMAIL }),
  }),
  flows: [
    {
      name: 'user info is not requested where nothing reads it',
      run: async ({ at, relay }) => {
        const requests = await relay.count('/userinfo', async () => {
          const browser = new BrowserLike()
          assert.match((await logIn(browser, `${at.app}/unread-info/page`)).text, /alice/)
          assert.equal((await browser.ask(`${at.app}/unread-info/again`)).status, 200)
        })
        assert.equal(requests, 0)
      },
    },
    {
      name: 'user info is requested on first read, and once',
      run: async ({ at, relay }) => {
        const requests = await relay.count('/userinfo', async () => {
          const browser = new BrowserLike()
          const page = await logIn(browser, `${at.app}/read-info/page`)
          assert.equal(page.text, '/read-info/page email alice@example.test')
          assert.equal(
            (await browser.ask(`${at.app}/read-info/again`)).text,
            '/read-info/again email alice@example.test',
          )
        })
        assert.equal(requests, 1)
      },
    },
    {
      name: 'user info that is refused for lightweight tokens is null with a warning; no login again',
      run: async ({ at, gateway, relay }) => {
        const from = gateway.log.lines.length
        const browser = new BrowserLike()
        const logins = await relay.count('/token', async () => {
          const page = await logIn(browser, `${at.app}/refused-info/page`)
          assert.deepEqual([page.status, page.text], [200, '/refused-info/page email '])
          assert.equal((await browser.ask(`${at.app}/refused-info/again`)).status, 200)
        })
        assert.equal(logins, 1)
        await gateway.log.until(/"level":"warn".*user info/, from)
      },
    },
  ],
}
