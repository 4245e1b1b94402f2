// The routes of the guide to other providers, with tokens as these providers document them and metadata with
// their real issuers. Only the URLs of the metadata and of the application are replaced.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { exportJWK, type JWTPayload, SignJWT } from 'jose'
import { RunningGateway } from '#test/gateway'
import { guideBlocks } from '#test/guide'
import { httpUpstream, type Upstream } from '#test/upstream'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const TENANT = '0f6e1c2d-3b4a-4c5d-9e8f-7a6b5c4d3e2f'
const POOL = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example'

interface Api {
  /** `issuer` of the metadata, by the path of the route. */
  readonly issuer: string
  readonly header: { typ?: string }
  readonly claims: JWTPayload
  /** Changes that invalidate the token, with the status. */
  readonly refused: Readonly<Record<string, readonly [claims: JWTPayload, status: number]>>
}

const APIS: Readonly<Record<string, Api>> = {
  entra: {
    issuer: `https://login.microsoftonline.com/${TENANT}/v2.0`,
    header: { typ: 'JWT' },
    claims: { aud: '6c5f0e36-0a84-4c55-8f4a-0d1f6e8a2b11', scp: 'Orders.Read User.Read', ver: '2.0' },
    refused: {
      'a version 1 token': [{ iss: `https://sts.windows.net/${TENANT}/` }, 401],
      'a token for another API': [{ aud: 'api://another' }, 401],
      'a token without the scope': [{ scp: 'User.Read' }, 403],
    },
  },
  auth0: {
    issuer: 'https://example.eu.auth0.com/',
    header: { typ: 'at+jwt' },
    claims: {
      aud: ['https://orders.example.com', 'https://example.eu.auth0.com/userinfo'],
      scope: 'openid read:orders',
    },
    refused: {
      'an ID token': [{ aud: 'client', nonce: 'n' }, 401],
      'a token without the scope': [{ scope: 'openid' }, 403],
    },
  },
  okta: {
    issuer: 'https://example.okta.com/oauth2/default',
    header: {},
    claims: { aud: 'api://default', cid: 'client', scp: ['orders.read'], ver: 1 },
    refused: {
      'an ID token': [{ aud: 'client', at_hash: 'h' }, 401],
      'a token without the scope': [{ scp: ['openid'] }, 403],
    },
  },
  cognito: {
    issuer: POOL,
    header: {},
    claims: { client_id: '4examplecognitoclient', token_use: 'access', scope: 'orders/read' },
    refused: {
      'an ID token': [{ token_use: 'id', aud: '4examplecognitoclient' }, 401],
      'a token of another client': [{ client_id: 'another' }, 403],
    },
  },
  google: {
    issuer: 'https://accounts.google.com',
    header: { typ: 'JWT' },
    claims: {
      aud: 'https://app.example.com/google',
      azp: '1',
      email: 'orders@example-project.iam.gserviceaccount.com',
      email_verified: true,
    },
    refused: {
      'a token for another audience': [{ aud: 'https://other.example.com' }, 401],
      'a token of another account': [{ email: 'x@another.iam.gserviceaccount.com' }, 403],
    },
  },
  pingfederate: {
    issuer: 'https://pf.example.com',
    header: { typ: 'at+jwt' },
    claims: { aud: 'shop-api', client_id: 'client', scope: ['orders', 'openid'] },
    refused: { 'a token without the scope': [{ scope: ['openid'] }, 403] },
  },
}

interface Login {
  readonly issuer: string
  /** Parameters of the authorization request that the guide sets. */
  readonly parameters: Readonly<Record<string, string>>
}

/** Login routes. */
const LOGINS: Readonly<Record<string, Login>> = {
  'entra-portal': { issuer: (APIS['entra'] as Api).issuer, parameters: {} },
  'auth0-portal': {
    issuer: 'https://example.eu.auth0.com/',
    parameters: { audience: 'https://orders.example.com' },
  },
  'cognito-portal': { issuer: POOL, parameters: {} },
  'google-portal': { issuer: 'https://accounts.google.com', parameters: { access_type: 'offline', hd: 'example.com' } },
}

const issuerOf = (name: string) => APIS[name]?.issuer ?? LOGINS[name]?.issuer

let provider: Upstream
let application: Upstream
let gateway: RunningGateway

before(async () => {
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'key', alg: 'RS256', use: 'sig' }] }
  provider = await httpUpstream((request, response) => {
    const name = request.url?.split('/')[1] as string
    const at = (path: string) => `${provider.url}/${name}/${path}`
    const metadata = {
      issuer: issuerOf(name),
      jwks_uri: at('keys'),
      authorization_endpoint: at('authorize'),
      token_endpoint: at('token'),
      response_types_supported: ['code'],
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(request.url?.endsWith('/keys') === true ? jwks : metadata))
  })
  application = await httpUpstream((_request, response) => response.end('passed'))
  const routes = guideBlocks('providers', 'json').map((block) => {
    const { name } = JSON.parse(block) as { name: string }
    const local = block
      // The issuer is that of the provider, which is not at the URL of this test.
      .replace(
        /"wellKnownEndpoint": "[^"]*"/,
        `"wellKnownEndpoint": "${provider.url}/${name}/metadata", "issuer": "${issuerOf(name)}"`,
      )
      .replaceAll('http://127.0.0.1:8081', application.url)
    return [name, local] as const
  })
  assert.deepEqual(new Set(routes.map(([name]) => name)), new Set([...Object.keys(APIS), ...Object.keys(LOGINS)]))
  gateway = await RunningGateway.start({
    files: Object.fromEntries(Object.keys(LOGINS).map((name) => [`secrets/${name}.secret`, 'a secret of the client'])),
    routes: Object.fromEntries(routes),
    // Requests come through a proxy that terminates TLS.
    admin: { trustedProxies: ['127.0.0.1'] },
  })
})

after(async () => {
  await gateway?.[Symbol.asyncDispose]()
  await provider?.[Symbol.asyncDispose]()
  await application?.[Symbol.asyncDispose]()
})

async function statusOf(name: string, { issuer, header, claims }: Api, changes: JWTPayload = {}): Promise<string> {
  const token = await new SignJWT({ iss: issuer, sub: 'ann', ...claims, ...changes })
    .setProtectedHeader({ alg: 'RS256', kid: 'key', ...header })
    .setIssuedAt()
    .setExpirationTime('5 minutes')
    .sign(privateKey)
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': '127.0.0.9', 'x-forwarded-proto': 'https' }
  const answer = await gateway.ask(`/${name}/1`, { headers })
  return `${answer.status} ${answer.headers['www-authenticate'] ?? answer.text}`
}

for (const [name, api] of Object.entries(APIS)) {
  test(`${name}: an access token passes`, async () => {
    assert.equal(await statusOf(name, api), '200 passed')
  })
  for (const [what, [changes, status]] of Object.entries(api.refused))
    test(`${name}: ${what} gets ${status}`, async () => {
      assert.match(await statusOf(name, api, changes), new RegExp(`^${status} `))
    })
}

for (const [name, { parameters }] of Object.entries(LOGINS))
  test(`${name}: a browser without a session is redirected to the provider`, async () => {
    const headers = { 'x-forwarded-for': '127.0.0.9', 'x-forwarded-proto': 'https' }
    const { status, headers: received } = await gateway.ask(`/${name}/page`, { headers })
    assert.equal(status, 302)
    const location = new URL(received.location as string)
    assert.equal(location.href.split('?')[0], `${provider.url}/${name}/authorize`)
    assert.equal(location.searchParams.get('redirect_uri')?.endsWith(`/${name}/oidc/callback`), true)
    for (const [parameter, value] of Object.entries(parameters))
      assert.equal(location.searchParams.get(parameter), value)
  })
