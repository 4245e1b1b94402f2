// Login with PKCE, PAR and private_key_jwt, and refresh.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { BrowserLike } from '#test/browser-like'
import { logIn } from '../login-pages.ts'
import { client } from '../realm.ts'
import { KEYS, loginRoute } from '../routes.ts'
import type { Part } from '../suite.ts'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

export const login: Part = {
  clients: (at) => [
    client(at, 'login', {
      clientAuthenticatorType: 'client-jwt',
      attributes: {
        'pkce.code.challenge.method': 'S256',
        'require.pushed.authorization.requests': 'true',
        'token.endpoint.auth.signing.alg': 'ES256',
        'use.jwks.url': 'true',
        'jwks.url': `${at.internalApp}/gateway-keys`,
      },
    }),
    client(at, 'refresh', { attributes: { 'access.token.lifespan': '2' } }),
  ],
  files: () => ({ 'keys/login': privateKey.export({ type: 'pkcs8', format: 'pem' }) as string }),
  routes: (at) => ({
    login: loginRoute(at, 'login', {
      registration: {
        authenticatedRegistrationHandler: {
          type: 'Chain',
          config: {
            filters: [
              {
                type: 'PrivateKeyJwtClientAuthenticationFilter',
                config: {
                  clientId: 'login',
                  tokenEndpoint: `${at.issuer}/protocol/openid-connect/token`,
                  secretsProvider: 'keys',
                  signingSecretId: 'login',
                  signingAlgorithm: 'ES256',
                },
              },
            ],
            handler: 'ClientHandler',
          },
        },
      },
    }),
    refresh: loginRoute(at, 'refresh'),
    // Keycloak reads the key of the gateway here; it wants `alg` in it.
    'gateway-keys': {
      name: 'gateway-keys',
      condition: "${request.uri.path == '/gateway-keys'}",
      heap: [KEYS],
      handler: {
        type: 'JwkSetHandler',
        config: { secretsProvider: 'keys', purposes: [{ secretId: 'login', keyUsage: 'SIGN' }] },
      },
    },
  }),
  flows: [
    {
      name: 'login with PKCE, PAR and private_key_jwt comes back to the page',
      run: async ({ at }) => {
        const browser = new BrowserLike()
        const page = await logIn(browser, `${at.app}/login/page?x=1`)
        assert.equal(page.url, `${at.app}/login/page?x=1`, page.text)
        assert.match(page.text, /^\/login\/page alice ey/)
        const first = new URL(browser.trail[0] as string)
        assert.deepEqual([...first.searchParams.keys()].sort(), ['client_id', 'request_uri'])
        assert.equal((await browser.ask(`${at.app}/login/again`)).status, 200)
      },
    },
    {
      name: 'a second route of the browser is logged in by single sign-on',
      run: async ({ at }) => {
        const browser = new BrowserLike()
        await logIn(browser, `${at.app}/login/page`)
        const page = await browser.open(`${at.app}/refresh/page`)
        assert.match(page.text, /^\/refresh\/page alice ey/)
      },
    },
    {
      name: 'twenty requests with an expired access token cause one refresh',
      run: async ({ at, relay }) => {
        const browser = new BrowserLike()
        const before = await logIn(browser, `${at.app}/refresh/page`)
        await new Promise((resolve) => setTimeout(resolve, 2500))
        const refreshes = await relay.count('/token', async () => {
          const answers = await Promise.all(
            Array.from({ length: 20 }, (_, each) => browser.ask(`${at.app}/refresh/${each}`)),
          )
          assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
          const tokens = new Set(answers.map(({ text }) => text.split(' ')[2]))
          assert.equal(tokens.size, 1)
          assert.ok(!tokens.has(before.text.split(' ')[2]))
        })
        assert.equal(refreshes, 1)
      },
    },
  ],
}
