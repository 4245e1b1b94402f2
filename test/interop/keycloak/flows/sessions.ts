// Session stores, requests other than navigation, and log-out by the user.
import assert from 'node:assert/strict'
import { BrowserLike } from '#test/browser-like'
import { redisMissing } from '#test/redis'
import { logIn } from '../login-pages.ts'
import { client } from '../realm.ts'
import { loginRoute } from '../routes.ts'
import type { Addresses, Part, Peers } from '../suite.ts'

/** Session managers by the client whose route uses them. */
export function sessionManagers(at: Addresses): Readonly<Record<string, object | undefined>> {
  const redis = { type: 'RedisSessionManager', config: { url: at.redis } }
  return { memory: undefined, cookies: COOKIE_SESSIONS, ...(at.redis === null ? {} : { redis }) }
}

const COOKIE_SESSIONS = {
  type: 'AuthenticatedEncryptedJwtSessionManager',
  config: {
    authenticatedEncryptionSecretId: 'session.key',
    secretsProvider: {
      type: 'FileSystemSecretStore',
      config: {
        directory: '&{gateway.instance.dir}/session',
        mappings: [
          {
            secretId: 'session.key',
            format: { type: 'SecretKeyPropertyFormat', config: { format: 'BASE64', algorithm: 'AES' } },
          },
        ],
      },
    },
  },
}

export const sessions: Part = {
  clients: (at) => [
    client(at, 'small-session'),
    ...['memory', 'redis', 'cookies'].map((kind) =>
      client(at, `${kind}-session`, {
        attributes: { 'access.token.lifespan': '2', 'post.logout.redirect.uris': `${at.app}/bye` },
      }),
    ),
  ],
  files: () => ({ 'session/session.key': Buffer.alloc(32, 5).toString('base64') }),
  routes: (at) => ({
    'small-session': loginRoute(at, 'small-session', {
      session: COOKIE_SESSIONS,
      registration: { clientSecretId: 'small-session', secretsProvider: 'secrets', sessionContent: ['idToken'] },
    }),
    ...Object.fromEntries(
      Object.entries(sessionManagers(at)).map(([kind, session]) => [
        `${kind}-session`,
        loginRoute(at, `${kind}-session`, {
          // The metadata have only the public host name, which the gateway may not reach.
          issuer: { revocationEndpoint: `${at.provider}/protocol/openid-connect/revoke` },
          ...(session === undefined ? {} : { session }),
          filter: {
            openIdEndSessionOnLogout: true,
            revokeOauth2TokenOnLogout: true,
            defaultLogoutGoto: `${at.app}/bye`,
          },
        }),
      ]),
    ),
  }),
  flows: [
    ...['memory', 'redis', 'cookies'].map((kind) => ({
      name: `session in ${kind}: login, refresh, log-out here and at Keycloak`,
      skip: kind === 'redis' && redisMissing,
      run: async ({ at }: Peers) => {
        const browser = new BrowserLike()
        const url = `${at.app}/${kind}-session/page`
        const first = await logIn(browser, url)
        assert.match(first.text, /alice/)
        await new Promise((resolve) => setTimeout(resolve, 2500))
        const second = await browser.ask(url)
        assert.equal(second.status, 200)
        assert.notEqual(second.text, first.text)
        const left = await browser.open(`${at.app}/${kind}-session/oidc/logout`)
        assert.equal(left.url, `${at.app}/bye`, left.text.slice(0, 300))
        assert.match((await browser.open(url)).text, /kc-form-login/)
      },
    })),
    {
      name: 'a session in cookies whose tokens do not fit is a page, and the log names RedisSessionManager',
      run: async ({ at, gateway }) => {
        const from = gateway.log.lines.length
        const page = await logIn(new BrowserLike(), `${at.app}/cookies-session/page`, 'carol')
        assert.equal(page.status, 500)
        await gateway.log.until(/RedisSessionManager/, from)
        return page.text
          .replaceAll(/<[^>]*>|\s+/g, ' ')
          .trim()
          .slice(0, 200)
      },
    },
    {
      name: 'a session in cookies without the access token (sessionContent) fits',
      run: async ({ at }) => {
        const browser = new BrowserLike()
        const page = await logIn(browser, `${at.app}/small-session/page`, 'carol')
        assert.deepEqual([page.status, page.text.trim()], [200, '/small-session/page carol'])
        assert.equal((await browser.ask(`${at.app}/small-session/again`)).status, 200)
      },
    },
  ],
}
