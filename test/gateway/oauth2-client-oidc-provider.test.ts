// The gateway as a client of an independent authorization server: npm `oidc-provider`.
import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { after, before, test } from 'node:test'
import { calculateJwkThumbprint, type JWK } from 'jose'
import type { ClientMetadata, Configuration } from 'oidc-provider'
import { RunningGateway } from '#test/gateway'
import { OidcProvider } from '#test/oidc-provider'
import { httpUpstream, type Upstream } from '#test/upstream'

/** Characters of an id and a secret that need encoding. */
const ODD_ID = 'gate:way/ +1'
const ODD_SECRET = 'p%20ss: +&=~"'

const KEYS: Readonly<Record<string, KeyObject>> = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  PS256: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
  ES512: generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey,
  EdDSA: generateKeyPairSync('ed25519').privateKey,
}

const machine = (id: string, more: Partial<ClientMetadata>): ClientMetadata => ({
  client_id: id,
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
  scope: 'read write',
  ...more,
})

/** A client whose key is registered under the `kid` of the gateway. */
const keyClient = async (alg: string): Promise<ClientMetadata> => {
  const jwk = createPublicKey(KEYS[alg] as KeyObject).export({ format: 'jwk' })
  const kid = await calculateJwkThumbprint(jwk as JWK)
  return machine(`client-${alg}`, {
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: alg as 'RS256',
    jwks: { keys: [{ ...jwk, kid } as unknown as { kty: string }] },
  })
}

const configuration: Configuration = {
  clients: [
    machine(ODD_ID, { client_secret: ODD_SECRET, token_endpoint_auth_method: 'client_secret_basic' }),
    machine('post', { client_secret: ODD_SECRET, token_endpoint_auth_method: 'client_secret_post' }),
    ...(await Promise.all(Object.keys(KEYS).map(keyClient))),
  ],
  scopes: ['read', 'write'],
  enabledJWA: { clientAuthSigningAlgValues: ['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA'] },
  features: { devInteractions: { enabled: false }, clientCredentials: { enabled: true } },
}

const secrets = { type: 'FileSystemSecretStore', config: { directory: 'secrets', format: 'PLAIN' } }
const pems = { type: 'FileSystemSecretStore', config: { directory: 'keys', format: { type: 'PemPropertyFormat' } } }

let server: OidcProvider
let application: Upstream
let gateway: RunningGateway

/** A route to the application whose requests have a token obtained with this authentication. */
function route(path: string, authentication: object) {
  const endpointHandler = { type: 'Chain', config: { filters: [authentication], handler: 'ForgeRockClientHandler' } }
  const config = { tokenEndpoint: `${server.url}/token`, scopes: ['read', 'write'], endpointHandler }
  return {
    condition: `\${request.uri.path == '${path}'}`,
    baseURI: application.url,
    handler: {
      type: 'Chain',
      config: { filters: [{ type: 'ClientCredentialsOAuth2ClientFilter', config }], handler: 'ReverseProxyHandler' },
    },
  }
}

const byKey = (alg: string, more: object = {}) => ({
  type: 'PrivateKeyJwtClientAuthenticationFilter',
  config: {
    clientId: `client-${alg}`,
    tokenEndpoint: `${server.url}/token`,
    secretsProvider: pems,
    signingSecretId: alg,
    signingAlgorithm: alg,
    ...more,
  },
})

const bySecret = (type: string, clientId: string, clientSecretId: string) => ({
  type,
  config: { clientId, clientSecretId, secretsProvider: secrets },
})

before(async () => {
  server = await OidcProvider.start(() => configuration)
  application = await httpUpstream((request, response) => response.end(request.headers.authorization))
  gateway = await RunningGateway.start({
    files: {
      'secrets/secret': ODD_SECRET,
      'secrets/wrong': 'something else',
      ...Object.fromEntries(
        Object.entries(KEYS).map(([alg, key]) => [`keys/${alg}`, key.export({ type: 'pkcs8', format: 'pem' })]),
      ),
    },
    routes: {
      basic: route('/basic', bySecret('ClientSecretBasicAuthenticationFilter', ODD_ID, 'secret')),
      post: route('/post', bySecret('ClientSecretPostAuthenticationFilter', 'post', 'secret')),
      wrong: route('/wrong', bySecret('ClientSecretPostAuthenticationFilter', 'post', 'wrong')),
      unknown: route('/unknown', bySecret('ClientSecretPostAuthenticationFilter', 'post', 'absent')),
      unsuited: route('/unsuited', byKey('ES256', { signingSecretId: 'ES384' })),
      stranger: route('/stranger', byKey('ES256', { clientId: 'client-EdDSA' })),
      issuer: route('/issuer', byKey('RS256', { claims: { aud: server.url } })),
      ...Object.fromEntries(Object.keys(KEYS).map((alg) => [alg, route(`/${alg}`, byKey(alg))])),
    },
  })
})

after(async () => {
  await gateway[Symbol.asyncDispose]()
  await application[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

/** The client for which the server has issued the token that arrived at the application. */
async function issuedFor(path: string): Promise<string | undefined> {
  const answer = await gateway.ask(path)
  assert.equal(answer.status, 200, `${answer.text}\n${gateway.log.lines.slice(-3).join('\n')}`)
  assert.match(answer.text, /^Bearer \S+$/)
  const token = await server.provider.ClientCredentials.find(answer.text.slice('Bearer '.length))
  assert.equal(token?.scope, 'read write')
  return token?.clientId
}

test('client_secret_basic, with an id and a secret that need encoding', async () => {
  assert.equal(await issuedFor('/basic'), ODD_ID)
})

test('client_secret_post', async () => {
  assert.equal(await issuedFor('/post'), 'post')
})

for (const alg of Object.keys(KEYS)) {
  test(`private_key_jwt with ${alg}`, async () => {
    assert.equal(await issuedFor(`/${alg}`), `client-${alg}`)
  })
}

test('private_key_jwt with the issuer as the audience', async () => {
  assert.equal(await issuedFor('/issuer'), 'client-RS256')
})

for (const [path, what, status] of [
  ['/wrong', 'a secret that is wrong', 502],
  ['/stranger', 'a key of another client', 502],
  ['/unknown', 'a secret that is not there', 503],
  ['/unsuited', 'a key that does not suit the algorithm', 503],
] as const) {
  test(`${what} ends in ${status}; nothing reaches the application, and the log has the reason`, async () => {
    const from = gateway.log.lines.length
    assert.equal((await gateway.ask(path)).status, status)
    await gateway.log.until(/token request failed/, from)
    assert.doesNotMatch(gateway.log.lines.slice(from).join('\n'), /something else|p%20ss/)
  })
}

test('a token is requested once and cached', async () => {
  const [first, second] = [await gateway.ask('/basic'), await gateway.ask('/basic')]
  assert.equal(first.text, second.text)
})
