// The gateway as a DPoP client: its own tokens are bound to a key of it.
import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { calculateJwkThumbprint, decodeJwt, type JWK } from 'jose'
import { BrowserLike } from '#test/browser-like'
import { logIn } from '../login-pages.ts'
import { client } from '../realm.ts'
import { chain, KEYS, loginRoute, SECRETS } from '../routes.ts'
import type { Part } from '../suite.ts'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const thumbprint = await calculateJwkThumbprint(createPublicKey(privateKey).export({ format: 'jwk' }) as JWK)

const PROOF = {
  name: 'proof',
  type: 'DpopClientFilter',
  config: { secretsProvider: 'keys', signingSecretId: 'dpop' },
}

const boundTo = (token: string): unknown => (decodeJwt(token)['cnf'] as { jkt?: string } | undefined)?.jkt

export const dpopClient: Part = {
  clients: (at) => [
    client(at, 'dpop-login', {
      attributes: { 'dpop.bound.access.tokens': 'true', 'access.token.lifespan': '2' },
    }),
    client(at, 'dpop-service', { attributes: { 'dpop.bound.access.tokens': 'true' } }),
  ],
  files: () => ({ 'keys/dpop': privateKey.export({ type: 'pkcs8', format: 'pem' }) as string }),
  routes: (at) => ({
    'dpop-login': loginRoute(at, 'dpop-login', {
      heap: [PROOF],
      registration: {
        clientSecretId: 'dpop-login',
        secretsProvider: 'secrets',
        registrationHandler: chain(['proof'], 'ClientHandler'),
      },
      entity: '${contexts.oauth2Info.user_info.email} ${contexts.oauth2Info.access_token}',
    }),
    'dpop-service': {
      name: 'dpop-service',
      condition: "${request.uri.path == '/dpop-service'}",
      baseURI: at.application,
      heap: [SECRETS, KEYS, PROOF],
      handler: chain(
        [
          {
            type: 'ClientCredentialsOAuth2ClientFilter',
            config: {
              tokenEndpoint: `${at.provider}/protocol/openid-connect/token`,
              endpointHandler: chain(
                [
                  {
                    type: 'ClientSecretBasicAuthenticationFilter',
                    config: { clientId: 'dpop-service', clientSecretId: 'dpop-service', secretsProvider: 'secrets' },
                  },
                  'proof',
                ],
                'ForgeRockClientHandler',
              ),
            },
          },
          'proof',
        ],
        'ReverseProxyHandler',
      ),
    },
  }),
  flows: [
    {
      name: 'the gateway as DPoP client: login, user info and refresh with tokens bound to its key',
      run: async ({ at }) => {
        const browser = new BrowserLike()
        const page = await logIn(browser, `${at.app}/dpop-login/page`)
        const [email, token] = page.text.split(' ') as [string, string]
        assert.deepEqual([email, boundTo(token)], ['alice@example.test', thumbprint])
        await new Promise((resolve) => setTimeout(resolve, 2500))
        const refreshed = (await browser.ask(`${at.app}/dpop-login/page`)).text.split(' ')[1] as string
        assert.notEqual(refreshed, token)
        assert.equal(boundTo(refreshed), thumbprint)
      },
    },
    {
      name: 'the gateway as DPoP client: a service gets a bound token with a proof',
      run: async ({ gateway }) => {
        const answer = await gateway.ask('/dpop-service')
        assert.equal(answer.status, 200, answer.text)
        const { authorization, dpop } = JSON.parse(answer.text) as Record<string, string>
        assert.match(authorization as string, /^DPoP /)
        assert.equal(boundTo((authorization as string).slice('DPoP '.length)), thumbprint)
        assert.equal(decodeJwt(dpop as string)['htm'], 'GET')
      },
    },
  ],
}
