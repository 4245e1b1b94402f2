// The gateway as a DPoP client of npm `oidc-provider`, which requires its nonce in every proof; proofs are verified by npm `jose`.
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from 'jose'
import { BrowserLike } from '#test/browser-like'
import { RunningGateway } from '#test/gateway'
import { OidcProvider } from '#test/oidc-provider'
import { httpUpstream } from '#test/upstream'

const options = { timeout: 60_000 }
const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const THUMBPRINT = await calculateJwkThumbprint(KEY.export({ format: 'jwk' }) as JWK)
const files = {
  'secrets/client.secret': 'a secret',
  'keys/dpop': KEY.export({ type: 'pkcs8', format: 'pem' }),
}
const secrets = { type: 'FileSystemSecretStore', config: { directory: 'secrets', format: 'PLAIN' } }
const keys = { type: 'FileSystemSecretStore', config: { directory: 'keys', format: { type: 'PemPropertyFormat' } } }
const proof = { type: 'DpopClientFilter', config: { secretsProvider: keys, signingSecretId: 'dpop' } }
const authentication = {
  type: 'ClientSecretBasicAuthenticationFilter',
  config: { clientId: 'machine', clientSecretId: 'client.secret', secretsProvider: secrets },
}
const chain = (...filters: object[]) => ({ type: 'Chain', config: { filters, handler: 'ForgeRockClientHandler' } })

function provider(gateway: RunningGateway): Promise<OidcProvider> {
  return OidcProvider.start(
    () =>
      ({
        clients: [
          {
            client_id: 'gateway',
            client_secret: 'a secret',
            grant_types: ['authorization_code'],
            redirect_uris: [`${gateway.url}/login/oidc/callback`],
            dpop_bound_access_tokens: true,
          },
          {
            client_id: 'machine',
            client_secret: 'a secret',
            grant_types: ['client_credentials'],
            redirect_uris: [],
            response_types: [],
            dpop_bound_access_tokens: true,
          },
        ],
        scopes: ['openid', 'read'],
        cookies: { keys: ['a key of the test'] },
        claims: { openid: ['sub', 'name'] },
        findAccount: (_context: unknown, id: string) => ({
          accountId: id,
          claims: async () => ({ sub: id, name: `${id} of test` }),
        }),
        features: {
          devInteractions: { enabled: true },
          clientCredentials: { enabled: true },
          dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 3), requireNonce: () => true },
        },
        jwks: {
          keys: [
            {
              ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
              use: 'sig',
              alg: 'RS256',
            },
          ],
        },
        // biome-ignore lint/suspicious/noExplicitAny: the type of the provider's configuration does not fit
      }) as any,
  )
}

test('a token of the gateway is bound to its key, and each request with it has a new proof', options, async () => {
  await using gateway = await RunningGateway.start({ files })
  await using server = await provider(gateway)
  const seen: IncomingHttpHeaders[] = []
  await using application = await httpUpstream((request, response) => {
    seen.push(request.headers)
    // A service may require its own nonce.
    if (seen.length === 1)
      response.writeHead(401, { 'DPoP-Nonce': 'service-nonce', 'WWW-Authenticate': 'DPoP error="use_dpop_nonce"' })
    response.end('passed')
  })
  await gateway.deploy('app', {
    name: 'app',
    condition: "${find(request.uri.path, '^/app')}",
    baseURI: application.url,
    handler: {
      type: 'Chain',
      config: {
        filters: [
          {
            type: 'ClientCredentialsOAuth2ClientFilter',
            config: {
              tokenEndpoint: `${server.url}/token`,
              scopes: ['read'],
              endpointHandler: chain(authentication, proof),
            },
          },
          proof,
        ],
        handler: 'ReverseProxyHandler',
      },
    },
  })
  const headers = { DPoP: 'a proof of the client' }
  for (const path of ['/app/a?x=1', '/app/b']) {
    const answer = await gateway.ask(path, { headers })
    assert.equal(answer.text, 'passed', gateway.log.lines.slice(-3).join('\n'))
  }
  assert.equal(seen.length, 3)
  const proofs = new Set<unknown>()
  for (const [at, { authorization, dpop }] of seen.entries()) {
    const token = /^DPoP (\S+)$/.exec(authorization ?? '')?.[1] ?? ''
    const issued = await server.provider.ClientCredentials.find(token)
    assert.equal((issued as { jkt?: string } | undefined)?.jkt, THUMBPRINT)
    const { payload, protectedHeader } = await jwtVerify(String(dpop), EmbeddedJWK, { typ: 'dpop+jwt' })
    assert.equal(await calculateJwkThumbprint(protectedHeader.jwk as JWK), THUMBPRINT)
    assert.deepEqual(Object.keys(protectedHeader.jwk ?? {}).sort(), ['crv', 'kty', 'x', 'y'])
    assert.deepEqual(
      [payload['htm'], payload['htu'], payload['ath'], payload['nonce']],
      [
        'GET',
        `${application.url}/app/${at < 2 ? 'a' : 'b'}`,
        createHash('sha256').update(token).digest('base64url'),
        at === 0 ? undefined : 'service-nonce',
      ],
    )
    proofs.add(payload.jti)
  }
  assert.equal(proofs.size, 3)
})

test('a login gets bound tokens, and user info with a proof', options, async () => {
  await using gateway = await RunningGateway.start({ files })
  await using server = await provider(gateway)
  await gateway.deploy('login', {
    name: 'login',
    condition: "${find(request.uri.path, '^/login')}",
    heap: [
      {
        name: 'server',
        type: 'Issuer',
        config: { wellKnownEndpoint: `${server.url}/.well-known/openid-configuration` },
      },
      {
        name: 'client',
        type: 'ClientRegistration',
        config: {
          clientId: 'gateway',
          issuer: 'server',
          scopes: ['openid'],
          clientSecretId: 'client.secret',
          secretsProvider: secrets,
          registrationHandler: chain(proof),
        },
      },
    ],
    handler: {
      type: 'Chain',
      config: {
        filters: [
          {
            type: 'AuthorizationCodeOAuth2ClientFilter',
            config: { clientEndpoint: '/login/oidc', requireHttps: false, registrations: ['client'] },
          },
        ],
        handler: {
          type: 'StaticResponseHandler',
          config: { status: 200, entity: '${contexts.oauth2Info.access_token} ${contexts.oauth2Info.user_info.name}' },
        },
      },
    },
  })
  const browser = new BrowserLike()
  const consent = await browser.submit(await browser.open(`${gateway.url}/login/page`), {
    login: 'demo',
    password: 'x',
  })
  const page = await browser.submit(consent)
  const [token = '', ...name] = page.text.split(' ')
  assert.equal(name.join(' '), 'demo of test', `${page.text}\n${gateway.log.lines.slice(-3).join('\n')}`)
  const issued = await server.provider.AccessToken.find(token)
  assert.equal((issued as { jkt?: string } | undefined)?.jkt, THUMBPRINT)
})
