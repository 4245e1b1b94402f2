// The routes of the guide for users of other gateways, with the commands that create their files. Only the addresses of the provider
// and of the application are replaced.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { exportJWK, jwtVerify, SignJWT } from 'jose'
import { BrowserLike } from '#test/browser-like'
import { opensslMissing } from '#test/certificates'
import { Folder } from '#test/folder'
import { RunningGateway } from '#test/gateway'
import { guideBlocks, guideScript } from '#test/guide'
import { OidcProvider } from '#test/oidc-provider'
import { logIn } from '#test/openid-gateway'
import { httpUpstream, type Upstream } from '#test/upstream'
import { waitUntil } from '#test/waiting'

const GUIDE = 'coming-from-other-gateways'
const ISSUER = 'https://login.example.com'
const FILES = ['secrets/session.key', 'secrets/gateway.signing', 'api-keys.csv'] as const
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const skip = opensslMissing

let resources: AsyncDisposableStack
let gateway: RunningGateway
let signing: string
/** Statuses of the next responses of the application, which are 200 otherwise. */
const statuses: number[] = []

before(async () => {
  if (skip !== false) return
  resources = new AsyncDisposableStack()
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'key', alg: 'RS256', use: 'sig' }] }
  const keys = resources.use(await httpUpstream((_request, response) => response.end(JSON.stringify(jwks))))
  const application = resources.use(
    await httpUpstream(({ url, headers }, response) => {
      response.writeHead(statuses.shift() ?? 200).end(JSON.stringify({ url, headers }))
    }),
  )
  const folder = resources.use(new Folder())
  mkdirSync(join(folder.path, 'secrets'))
  const script = guideScript(GUIDE, { 'my-gateway/': `${folder.path}/` })
  execFileSync('sh', ['-e', '-c', script], { stdio: ['ignore', 'ignore', 'pipe'] })
  signing = folder.read('secrets/gateway.signing')
  gateway = resources.use(
    await RunningGateway.start({
      files: {
        ...Object.fromEntries(FILES.map((file) => [file, folder.read(file)])),
        'secrets/wiki.secret': 'a secret of the client',
      },
      // Requests come through a proxy that terminates TLS.
      admin: { trustedProxies: ['127.0.0.1'] },
    }),
  )
  const provider = resources.use(await startProvider(gateway.url))
  for (const block of guideBlocks(GUIDE, 'json')) {
    const { name } = JSON.parse(block) as { name: string }
    await gateway.deploy(name, JSON.parse(local(block, { application, keys, provider })))
  }
})

after(() => resources?.disposeAsync())

interface Peers {
  readonly application: Upstream
  readonly keys: Upstream
  readonly provider: OidcProvider
}

/** The browser of the test has no TLS, and knows the gateway by its address. */
function local(block: string, { application, keys, provider }: Peers): string {
  return block
    .replaceAll('http://127.0.0.1:8081', application.url)
    .replaceAll('https://login.example.com/keys', `${keys.url}/keys`)
    .replaceAll(`${ISSUER}/.well-known`, `${provider.url}/.well-known`)
    .replace("'wiki.example.com'", "'127.0.0.1' and not find(request.uri.path, '^/(shop|stock)')")
    .replace('"clientEndpoint": "/oauth2",', '"clientEndpoint": "/oauth2", "requireHttps": false,')
}

/** Users are known by the part of their address before the `@`. */
function startProvider(url: string): Promise<OidcProvider> {
  const domains: Readonly<Record<string, string>> = { ann: 'example.com', eve: 'example.com.evil.test' }
  return OidcProvider.start(() => ({
    clients: [
      { client_id: 'wiki', client_secret: 'a secret of the client', redirect_uris: [`${url}/oauth2/callback`] },
    ],
    cookies: { keys: ['a key of the test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, email: `${id}@${domains[id]}`, email_verified: true }),
    }),
    features: { devInteractions: { enabled: true } },
  }))
}

interface Seen {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

function tokenFor(audience: string, claims: object = {}): Promise<string> {
  return new SignJWT({ sub: 'ann', scope: 'orders', ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'key' })
    .setIssuer(ISSUER)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime('5 minutes')
    .sign(privateKey)
}

const PROXIED = { 'x-forwarded-for': '127.0.0.9', 'x-forwarded-proto': 'https' }

async function ask(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  const { status, text } = await gateway.ask(path, { method, headers: { ...PROXIED, ...headers } })
  return { status, seen: status === 200 ? (JSON.parse(text) as Seen) : null }
}

test('oauth2-proxy: users of the domain log in, and the application gets their name', { skip }, async () => {
  const browser = new BrowserLike()
  const page = await logIn(browser, `${gateway.url}/page`, 'ann')
  const { url, headers } = JSON.parse(page.text) as Seen
  assert.deepEqual(
    [page.status, url, headers['x-forwarded-user'], headers['x-forwarded-email']],
    [200, '/page', 'ann', 'ann@example.com'],
  )
  assert.equal((await browser.ask(`${gateway.url}/other`)).status, 200)
  assert.ok((await browser.ask(`${gateway.url}/oauth2/logout`)).status < 400)
  assert.equal((await browser.ask(`${gateway.url}/other`)).status, 302)
})

test('oauth2-proxy: users of other domains get 403', { skip }, async () => {
  assert.equal((await logIn(new BrowserLike(), `${gateway.url}/page`, 'eve')).status, 403)
})

test('oauth2-proxy: public paths need no login, and clients can not send a name', { skip }, async () => {
  const browser = new BrowserLike()
  const headers = { 'X-Forwarded-User': 'admin', x_forwarded_email: 'admin@example.com' }
  const page = await browser.ask(`${gateway.url}/public/a.css`, { headers })
  const names = Object.keys((JSON.parse(page.text) as Seen).headers)
  assert.deepEqual(
    names.filter((name) => /user|email/.test(name)),
    [],
  )
  const posted = await browser.ask(`${gateway.url}/public/a.css`, { method: 'POST' })
  assert.ok(posted.status === 302 || posted.status === 401, String(posted.status))
})

test('Oathkeeper: a token of the issuer becomes one of the gateway, for the path without its prefix', {
  skip,
}, async () => {
  const host = 'api.example.com'
  const { status, seen } = await ask('/api/orders/7', { host, authorization: `Bearer ${await tokenFor('shop')}` })
  assert.equal(status, 200)
  assert.equal(seen?.url, '/orders/7')
  const [scheme, token = ''] = seen?.headers['authorization']?.split(' ') ?? []
  const { payload } = await jwtVerify(token, createPublicKey(signing), { issuer: 'https://api.example.com' })
  assert.deepEqual([scheme, payload.sub], ['Bearer', 'ann'])
  const statusOf = async (path: string, bearer: string, method = 'GET') =>
    (await ask(path, { host, authorization: `Bearer ${bearer}` }, method)).status
  assert.equal(await statusOf('/api/orders/7', await tokenFor('other')), 401)
  assert.equal(await statusOf('/api/orders/7', await tokenFor('shop', { scope: 'other' })), 403)
  assert.equal(await statusOf('/api/orders/x', await tokenFor('shop')), 404)
  assert.equal(await statusOf('/api/orders/7', await tokenFor('shop'), 'DELETE'), 404)
})

test('Kong: a key of a consumer passes within its rate, and does not reach the application', { skip }, async () => {
  const key = { 'x-api-key': '8f1d6a5c0b', 'x-consumer-username': 'admin' }
  const { status, seen } = await ask('/shop/items', key)
  assert.deepEqual([status, seen?.url], [200, '/app/items'])
  assert.deepEqual([seen?.headers['x-api-key'], seen?.headers['x-consumer-username']], [undefined, 'billing'])
  assert.equal((await ask('/shop/items')).status, 401)
  assert.equal((await ask('/shop/items', { 'x-api-key': 'another' })).status, 401)
  assert.equal((await ask('/shop/items', { ...key, 'x-forwarded-for': '192.0.2.1' })).status, 403)
  // The bucket is refilled while requests are sent: on a slow machine a burst of 61 may pass.
  await waitUntil('a request over the rate gets 429', async () => {
    const burst = await Promise.all(Array.from({ length: 61 }, async () => (await ask('/shop/items', key)).status))
    return burst.includes(429)
  })
})

test('Envoy: a token of the issuer passes, and a response with 503 is retried', { skip }, async () => {
  const authorization = `Bearer ${await tokenFor('stock')}`
  statuses.push(503)
  const { status, seen } = await ask('/stock/7', { authorization })
  assert.deepEqual([status, seen?.url, statuses], [200, '/v1/7', []])
  assert.equal((await ask('/stock/7')).status, 401)
  assert.equal((await ask('/stock/7', { authorization: `Bearer ${await tokenFor('shop')}` })).status, 401)
})
