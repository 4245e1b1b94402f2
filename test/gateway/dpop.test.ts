// Proofs of possession in a whole gateway of several units, with tokens of npm `oidc-provider` and proofs by npm `jose`.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Configuration } from 'oidc-provider'
import { type DpopClient, dpopClient, type ProofParts } from '#test/dpop-client'
import { RunningGateway } from '#test/gateway'
import { OidcProvider } from '#test/oidc-provider'
import { sendRequest } from '#test/send-request'

const CLIENT = { id: 'application', secret: 'application-secret' }
const RESOURCE = 'https://api.example.com'

const configuration: Configuration = {
  clients: [
    {
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    },
  ],
  scopes: ['read'],
  extraTokenClaims: () => ({ tokenName: 'access_token' }),
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    dPoP: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_, resource) => ({ scope: 'read', audience: resource, accessTokenFormat: 'jwt' }),
    },
  },
}

let server: OidcProvider
let gateway: RunningGateway
let client: DpopClient

before(async () => {
  client = await dpopClient('ES256')
  server = await OidcProvider.start(() => configuration)
  gateway = await RunningGateway.start({
    units: 2,
    env: { CLIENT_SECRET: CLIENT.secret },
    routes: { stateless: route('/stateless', stateless()), introspected: route('/introspected', introspecting()) },
  })
})

after(async () => {
  await gateway[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

function stateless() {
  const secretsProvider = { type: 'JwkSetSecretStore', config: { jwkUrl: `${server.url}/jwks` } }
  return {
    type: 'StatelessAccessTokenResolver',
    config: { issuer: server.url, secretsProvider, verificationSecretId: 'keys' },
  }
}

function introspecting() {
  const secretsProvider = { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } }
  const authentication = {
    type: 'ClientSecretBasicAuthenticationFilter',
    config: { clientId: CLIENT.id, clientSecretId: 'client.secret', secretsProvider },
  }
  const providerHandler = { type: 'Chain', config: { filters: [authentication], handler: 'ForgeRockClientHandler' } }
  const endpoint = `${server.url}/token/introspection`
  return { type: 'TokenIntrospectionAccessTokenResolver', config: { endpoint, providerHandler } }
}

/** A route with a token cache: proofs are still required for each request. */
function route(path: string, delegate: object) {
  // A nonce is needed for that long after the start, which may be some minutes before these tests.
  const config = { delegate, proofMaxAge: '10 minutes' }
  const filter = {
    type: 'OAuth2ResourceServerFilter',
    config: {
      requireHttps: false,
      scopes: ['read'],
      cache: { enabled: true, maxTimeout: '1 minute' },
      accessTokenResolver: { type: 'DpopAccessTokenResolver', config },
    },
  }
  return {
    condition: `\${request.uri.path == '${path}'}`,
    handler: {
      type: 'Chain',
      config: { filters: [filter], handler: { type: 'StaticResponseHandler', config: { status: 200 } } },
    },
  }
}

/** A token that is bound to the key of the client. */
async function boundToken(more: Record<string, string> = {}): Promise<string> {
  const uri = `${server.url}/token`
  const proof = await client.prove({ method: 'POST', uri, claims: { ath: undefined } })
  const answered = await sendRequest(uri, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
      DPoP: proof,
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'read', ...more }).toString(),
  })
  const { access_token: token, token_type: type } = JSON.parse(answered.text) as Record<string, string>
  assert.equal(type, 'DPoP', answered.text)
  return token as string
}

const send = (path: string, token: string, proof: string, scheme = 'DPoP') =>
  gateway.ask(path, { headers: { Authorization: `${scheme} ${token}`, DPoP: proof } })

for (const [path, more] of [
  ['/stateless', { resource: RESOURCE }],
  ['/introspected', {}],
] as const) {
  test(`a bound token and its proof, at ${path}`, async () => {
    const token = await boundToken(more)
    const uri = `${gateway.url}${path}`
    const prove = (parts: ProofParts = {}) => client.prove({ uri, token, ...parts })

    const asked = await send(path, token, await prove())
    assert.equal(asked.status, 401)
    assert.match(asked.headers['www-authenticate'] ?? '', /^DPoP realm=.*error="use_dpop_nonce".*algs="ES256 /)
    const nonce = asked.headers['dpop-nonce'] as string

    const proof = await prove({ claims: { nonce } })
    const answers = await Promise.all(Array.from({ length: 30 }, () => send(path, token, proof)))
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [200, ...Array<number>(29).fill(401)], 'one proof serves once, whichever unit is asked')
    const refused = answers.find(({ status }) => status === 401)
    assert.match(refused?.headers['www-authenticate'] ?? '', /error="invalid_dpop_proof"/)

    for (let time = 0; time < 10; time++) {
      assert.equal(
        (await send(path, token, await prove({ claims: { nonce } }))).status,
        200,
        'all units take the nonce',
      )
    }

    const thief = await dpopClient('ES256')
    const stolen = await send(path, token, await thief.prove({ uri, token, claims: { nonce } }))
    assert.equal(stolen.status, 401)
    assert.match(stolen.headers['www-authenticate'] ?? '', /error="invalid_dpop_proof"/)

    const bearer = await send(path, token, await prove({ claims: { nonce } }), 'Bearer')
    assert.equal(bearer.status, 401)
    assert.match(bearer.headers['www-authenticate'] ?? '', /^DPoP /)
  })
}

test('a changed route rejects proofs that were used with the old one', async () => {
  const token = await boundToken({ resource: RESOURCE })
  const uri = `${gateway.url}/stateless`
  const first = await send('/stateless', token, await client.prove({ uri, token }))
  const nonce = first.headers['dpop-nonce'] as string
  const proof = await client.prove({ uri, token, claims: { nonce } })
  assert.equal((await send('/stateless', token, proof)).status, 200)
  await gateway.deploy('stateless', { ...route('/stateless', stateless()), name: 'changed' })
  const again = await send('/stateless', token, proof)
  assert.equal(again.status, 401)
  assert.match(again.headers['www-authenticate'] ?? '', /error="use_dpop_nonce"/)
})
