// A resource server with an independent authorization server: npm `oidc-provider`.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { RunningGateway } from '#test/gateway'
import { GATEWAY_CLIENT, type OidcAuthorizationServer, oidcAuthorizationServer } from '#test/oidc-authorization-server'

const RESOURCE = 'https://api.example.com'

let server: OidcAuthorizationServer
let gateway: RunningGateway

before(async () => {
  server = await oidcAuthorizationServer()
  gateway = await RunningGateway.start({
    env: { GATEWAY_SECRET: GATEWAY_CLIENT.secret, WRONG_SECRET: 'something-else' },
    routes: {
      introspected: route('/introspected', introspecting('gateway.secret')),
      cached: route('/cached', introspecting('gateway.secret'), { cache: { enabled: true, maxTimeout: '1 minute' } }),
      misconfigured: route('/misconfigured', introspecting('wrong.secret')),
      stateless: route('/stateless', stateless({ audience: RESOURCE })),
      anybody: route('/anybody', stateless({})),
      discovered: route('/discovered', discovered({ audience: RESOURCE })),
      gone: route('/gone', discovered({ wellKnownEndpoint: 'http://127.0.0.1:1/.well-known/openid-configuration' })),
      renamed: route('/renamed', discovered({ audience: RESOURCE, issuer: 'https://public.example.com' })),
    },
  })
})

/** Verifies tokens with the published keys of the server. */
const stateless = (more: object) => ({
  type: 'StatelessAccessTokenResolver',
  config: {
    issuer: server.issuer,
    verificationSecretId: 'any',
    secretsProvider: { type: 'JwkSetSecretStore', config: { jwkUrl: server.jwkUrl } },
    ...more,
  },
})

/** Verifies tokens by the metadata of the server. */
const discovered = (more: object) => ({
  type: 'StatelessAccessTokenResolver',
  config: { wellKnownEndpoint: `${server.issuer}/.well-known/openid-configuration`, ...more },
})

after(async () => {
  await gateway[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

function introspecting(clientSecretId: string) {
  return {
    type: 'TokenIntrospectionAccessTokenResolver',
    config: {
      endpoint: server.introspectionEndpoint,
      providerHandler: {
        type: 'Chain',
        config: {
          filters: [
            {
              type: 'ClientSecretBasicAuthenticationFilter',
              config: {
                clientId: GATEWAY_CLIENT.id,
                clientSecretId,
                secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
              },
            },
          ],
          handler: 'ForgeRockClientHandler',
        },
      },
    },
  }
}

function route(path: string, accessTokenResolver: object, more: object = {}) {
  return {
    condition: `\${request.uri.path == '${path}'}`,
    handler: {
      type: 'Chain',
      config: {
        filters: [
          {
            type: 'OAuth2ResourceServerFilter',
            config: { scopes: ['read'], requireHttps: false, accessTokenResolver, ...more },
          },
        ],
        handler: {
          type: 'StaticResponseHandler',
          config: {
            status: 200,
            headers: { 'Content-Type': ['text/plain'] },
            entity:
              '${contexts.oauth2.accessToken.info.client_id} ${contexts.oauth2.accessToken.scopes.contains("read")}',
          },
        },
      },
    },
  }
}

const ask = (path: string, token: string) => gateway.ask(path, { headers: { Authorization: `Bearer ${token}` } })

test('a token passes with its scope, and its introspection result is in the context', async () => {
  const { status, text } = await ask('/introspected', await server.token('read'))
  assert.deepEqual([status, text], [200, 'application true'])
})

test('a token without the scope: 403', async () => {
  const { status, headers } = await ask('/introspected', await server.token('write'))
  assert.equal(status, 403)
  assert.match(headers['www-authenticate'] as string, /error="insufficient_scope".*scope="read"/)
})

test('an unknown token: 401', async () => {
  const { status, headers } = await ask('/introspected', 'made-up')
  assert.equal(status, 401)
  assert.match(headers['www-authenticate'] as string, /error="invalid_token"/)
})

test('a revoked token is rejected at once without a cache', async () => {
  const token = await server.token('read')
  assert.equal((await ask('/introspected', token)).status, 200)
  await server.revoke(token)
  assert.equal((await ask('/introspected', token)).status, 401)
})

test('with the cache a token is introspected once; without notifications a revoked token passes until its TTL ends', async () => {
  const token = await server.token('read write')
  const before = server.introspections
  for (let i = 0; i < 5; i++) assert.equal((await ask('/cached', token)).status, 200)
  assert.equal(server.introspections, before + 1)
  await server.revoke(token)
  assert.equal((await ask('/cached', token)).status, 200)
})

test('a JSON Web Token can not be introspected there: its 400 becomes 400', async () => {
  const { status, text } = await ask('/introspected', await server.token('read', RESOURCE))
  assert.deepEqual([status, text], [400, 'The authorization server rejected the request to validate the token.'])
})

test('a JSON Web Token of RFC 9068 is verified without a call to the server', async () => {
  const token = await server.token('read', RESOURCE)
  const { status, text } = await ask('/stateless', token)
  assert.deepEqual([status, text], [200, 'application true'])
  assert.equal((await ask('/stateless', await server.token('write', RESOURCE))).status, 403)

  const [header, payload, signature] = token.split('.') as [string, string, string]
  const changed = Buffer.from(payload, 'base64url').toString().replace('"read"', '"root"')
  const forged = `${header}.${Buffer.from(changed).toString('base64url')}.${signature}`
  const refused = await ask('/stateless', forged)
  assert.equal(refused.status, 401)
  assert.match(refused.headers['www-authenticate'] as string, /error_description="The signature of the token can not/)
})

test('wellKnownEndpoint: issuer and keys are those of the metadata; a configured issuer takes precedence', async () => {
  const token = await server.token('read', RESOURCE)
  assert.equal((await ask('/discovered', token)).status, 200)
  const renamed = await ask('/renamed', token)
  assert.match(renamed.headers['www-authenticate'] as string, /error_description="The token has another issuer\."/)
})

test('wellKnownEndpoint: an unreachable provider is 503, not an invalid token', async () => {
  const { status, headers } = await ask('/gone', await server.token('read', RESOURCE))
  assert.deepEqual([status, headers['retry-after']], [503, '5'])
})

test('without an audience, a token without tokenName is not an access token', async () => {
  const { status, headers } = await ask('/anybody', await server.token('read', RESOURCE))
  assert.equal(status, 401)
  assert.match(
    headers['www-authenticate'] as string,
    /error_description="A token of the type at\+jwt is accepted only where 'audience' or 'tokenTypes' is/,
  )
})

test('rejected credentials of the gateway: 503, with the reason in the log', async () => {
  const { status, headers } = await ask('/misconfigured', await server.token('read'))
  assert.deepEqual([status, headers['retry-after']], [503, '5'])
  assert.ok(gateway.log.lines.some((line) => line.includes('refuses the credentials of the gateway')))
})
