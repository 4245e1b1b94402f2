// OpenID Connect Back-Channel Logout 1.0, with logout tokens of npm `oidc-provider` and with crafted ones.
import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { SignJWT } from 'jose'
import { WebSocket } from 'ws'
import { BrowserLike, type Page } from '#test/browser-like'
import { RunningGateway } from '#test/gateway'
import { OidcProvider } from '#test/oidc-provider'
import { RedisServer, redisMissing } from '#test/redis'
import { sendRequest } from '#test/send-request'
import { once, within } from '#test/waiting'
import { webSocketUpstream } from '#test/websocket'

const options = { timeout: 90_000 }
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const STRANGER = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const COOKIE_KEY = Buffer.alloc(32, 5).toString('base64')

type Claims = Readonly<Record<string, unknown>>

interface Parts {
  readonly session?: object | undefined
  readonly gateways?: number
  /** For messages that a gateway logs once. */
  readonly isNew?: boolean
  readonly client?: object
  readonly registration?: object
  readonly baseURI?: string | undefined
  /** Clients of the gateway at the provider. */
  readonly clients?: readonly string[]
  /** Whether another server, which does not answer, has a client of the same id. */
  readonly hasServerThatIsDown?: boolean
}

/** Gateways whose route /app logs users in at a provider that sends logout tokens to the first of them. */
async function setting(parts: Parts = {}) {
  const { gateways: count = 1, isNew, client = {}, clients = ['gateway'] } = parts
  const files = {
    'secrets/client.secret': Buffer.from('a secret of the client').toString('base64'),
    'secrets/session.key': COOKIE_KEY,
  }
  const open = () => (isNew ? RunningGateway.start({ units: 2, files }) : RunningGateway.reuse({ units: 2, files }))
  const gateways = await Promise.all(Array.from({ length: count }, open))
  const [first] = gateways as [RunningGateway]
  const provider = await OidcProvider.start(
    () =>
      ({
        clients: clients.map((client_id) => ({
          client_id,
          client_secret: 'a secret of the client',
          redirect_uris: gateways.map(({ url }) => `${url}/app/oidc/callback`),
          grant_types: ['authorization_code', 'refresh_token'],
          backchannel_logout_uri: `${first.url}/app/oidc/backchannel-logout`,
          backchannel_logout_session_required: true,
          ...client,
        })),
        cookies: { keys: ['a key of the test'] },
        findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: async () => ({ sub: id }) }),
        features: {
          devInteractions: { enabled: true },
          rpInitiatedLogout: { enabled: true },
          backchannelLogout: { enabled: true },
        },
        // The dispatcher of the provider rejects loopback addresses.
        fetch: (url: string, { dispatcher: _, ...init }: RequestInit & { dispatcher?: unknown }) => fetch(url, init),
        jwks: { keys: [{ ...KEY.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] },
        // biome-ignore lint/suspicious/noExplicitAny: the type of the provider's configuration does not fit
      }) as any,
  )
  for (const gateway of gateways) await gateway.deploy('app', route(provider.url, parts))
  return {
    gateways,
    gateway: first,
    provider,
    page: `${first.url}/app/page`,
    /** Sends a logout token, crafted by default. */
    async logOut(claims: Claims, changes: TokenChanges = {}) {
      const body = new URLSearchParams({ logout_token: await logoutToken(provider.url, claims, changes) })
      return fetch(`${first.url}/app/oidc/backchannel-logout`, { method: 'POST', body })
    },
    async [Symbol.asyncDispose]() {
      for (const gateway of gateways) await gateway[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
    },
  }
}

/** Nothing listens on port 1. */
const DOWN = [
  {
    name: 'down',
    type: 'Issuer',
    config: { wellKnownEndpoint: 'http://127.0.0.1:1/.well-known/openid-configuration' },
  },
  {
    name: 'client of down',
    type: 'ClientRegistration',
    config: { clientId: 'gateway', issuer: 'down', clientSecretId: 'client.secret', secretsProvider: 'secrets' },
  },
]

function route(issuer: string, parts: Parts) {
  const { session, registration, baseURI, clients = ['gateway'], hasServerThatIsDown = false } = parts
  const registrations = [...(hasServerThatIsDown ? ['client of down'] : []), ...clients]
  const keys = {
    secretId: 'session.key',
    format: { type: 'SecretKeyPropertyFormat', config: { format: 'BASE64', algorithm: 'AES' } },
  }
  const directory = '&{gateway.instance.dir}/secrets'
  return {
    name: 'app',
    condition: "${find(request.uri.path, '^/app')}",
    ...(session === undefined ? {} : { session }),
    ...(baseURI === undefined ? {} : { baseURI }),
    heap: [
      { name: 'secrets', type: 'FileSystemSecretStore', config: { directory } },
      { name: 'keys', type: 'FileSystemSecretStore', config: { directory, mappings: [keys] } },
      {
        name: 'server',
        type: 'Issuer',
        config: { wellKnownEndpoint: `${issuer}/.well-known/openid-configuration` },
      },
      ...clients.map((clientId) => ({
        name: clientId,
        type: 'ClientRegistration',
        config: {
          clientId,
          issuer: 'server',
          scopes: ['openid'],
          clientSecretId: 'client.secret',
          secretsProvider: 'secrets',
          ...registration,
        },
      })),
      ...(hasServerThatIsDown ? DOWN : []),
    ],
    handler: {
      type: 'Chain',
      config: {
        filters: [
          {
            type: 'AuthorizationCodeOAuth2ClientFilter',
            config: {
              clientEndpoint: '/app/oidc',
              requireHttps: false,
              registrations,
              ...(registrations.length > 1 && {
                loginHandler: { type: 'StaticResponseHandler', config: { status: 401 } },
              }),
              oAuth2SessionKey: 'login',
            },
          },
        ],
        handler:
          baseURI === undefined
            ? {
                type: 'StaticResponseHandler',
                config: { status: 200, entity: '${contexts.oauth2Info.id_token_claims.sid}' },
              }
            : { type: 'ReverseProxyHandler', config: { websocket: { enabled: true } } },
      },
    },
  }
}

interface TokenChanges {
  readonly header?: object
  readonly key?: KeyObject
}

/** A logout token as a provider issues it, with changes. Undefined removes a claim. */
function logoutToken(issuer: string, claims: Claims, { header = {}, key = KEY }: TokenChanges = {}) {
  const iat = Math.floor(Date.now() / 1_000)
  const made = {
    iss: issuer,
    aud: 'gateway',
    iat,
    exp: iat + 120,
    jti: randomUUID(),
    events: { [EVENT]: {} },
    ...claims,
  }
  return new SignJWT(JSON.parse(JSON.stringify(made)))
    .setProtectedHeader({ alg: 'RS256', typ: 'logout+jwt', kid: 'one', ...header })
    .sign(key)
}

async function logIn(browser: BrowserLike, url: string, user = 'demo'): Promise<Page> {
  const consentPage = await browser.submit(await browser.open(url), { login: user, password: 'x' })
  const page = await browser.submit(consentPage)
  assert.equal(page.status, 200, page.text)
  return page
}

/** Ends the session at the provider as a user does there. */
async function leaveProvider(browser: BrowserLike, provider: OidcProvider): Promise<void> {
  const confirmation = await browser.open(`${provider.url}/session/end`)
  await browser.submit(confirmation, { logout: 'yes' })
}

/** The statuses of several requests, each on a new connection, so that every unit gets one. */
async function statuses(url: string, cookie: string): Promise<readonly number[]> {
  const found = new Set<number>()
  for (let count = 0; count < 8; count += 1) {
    found.add((await sendRequest(url, { headers: { Cookie: cookie } })).status)
  }
  return [...found]
}

const COOKIES = {
  type: 'AuthenticatedEncryptedJwtSessionManager',
  config: { authenticatedEncryptionSecretId: 'session.key', secretsProvider: 'keys' },
}

for (const [where, session, name] of [
  ['memory', undefined, 'gateway-session'],
  ['cookies', COOKIES, 'gateway-jwt-session'],
] as const) {
  test(`sessions in ${where} end in every unit when the provider sends a token with their sid`, options, async () => {
    await using at = await setting({ ...(session && { session }) })
    const [browser, elsewhere] = [new BrowserLike(), new BrowserLike()]
    const { text: sid } = await logIn(browser, at.page)
    assert.ok(sid.length > 0)
    await logIn(elsewhere, at.page)
    const cookie = `${name}=${browser.cookie(at.page, name)}`
    assert.deepEqual(await statuses(at.page, cookie), [200])
    const sent = Promise.withResolvers<void>()
    at.provider.provider.on('backchannel.success', () => sent.resolve())
    at.provider.provider.on('backchannel.error', (_context, error) => sent.reject(error))
    await leaveProvider(browser, at.provider)
    await within('the request was sent', sent.promise)
    assert.deepEqual(await statuses(at.page, cookie), [302])
    // Another session of the same user stays open, and so does the next login of this browser.
    assert.equal((await elsewhere.ask(at.page)).status, 200)
    await logIn(browser, at.page)
    assert.equal((await browser.ask(at.page)).status, 200)
  })
}

test('a token with sub alone ends all sessions of the user, of no other', options, async () => {
  await using at = await setting({ session: COOKIES, isNew: true })
  const [one, two, other] = [new BrowserLike(), new BrowserLike(), new BrowserLike()]
  await logIn(one, at.page)
  await logIn(two, at.page)
  await logIn(other, at.page, 'other')
  const answer = await at.logOut({ sub: 'demo' })
  assert.deepEqual([answer.status, answer.headers.get('cache-control'), await answer.text()], [200, 'no-store', ''])
  assert.deepEqual([(await one.ask(at.page)).status, (await two.ask(at.page)).status], [302, 302])
  assert.equal((await other.ask(at.page)).status, 200)
  // The provider still has a session of the browser: it logs in again, in the same second as the logout.
  assert.equal((await one.open(at.page)).status, 200)
  assert.equal((await one.ask(at.page)).status, 200)
  await at.gateway.log.until(/recorded in the memory of this gateway only/)
})

test('a session whose ID token has no sid ends by the sub of a token that has both', options, async () => {
  await using at = await setting({ client: { backchannel_logout_session_required: false } })
  const browser = new BrowserLike()
  const { text: sid } = await logIn(browser, at.page)
  assert.equal(sid, '')
  assert.equal((await at.logOut({ sub: 'demo', sid: 'some session' })).status, 200)
  assert.equal((await browser.ask(at.page)).status, 302)
})

test('a token is accepted once; one for an unknown session is a success', options, async () => {
  await using at = await setting()
  const jti = randomUUID()
  assert.equal((await at.logOut({ sid: 'unknown', jti })).status, 200)
  const again = await at.logOut({ sid: 'unknown', jti })
  assert.equal(again.status, 400)
  assert.deepEqual(await again.json(), {
    error: 'invalid_request',
    error_description: 'the logout token was used before',
  })
  assert.equal((await at.logOut({ sid: 'unknown' })).status, 200)
  const typed = await at.logOut({ sid: 'unknown' }, { header: { typ: undefined } })
  assert.equal(typed.status, 200)
})

test('a token for several clients ends the sessions of each', options, async () => {
  await using at = await setting({ clients: ['gateway', 'shop'] })
  const browsers = [new BrowserLike(), new BrowserLike()]
  for (const [index, registration] of ['gateway', 'shop'].entries())
    await logIn(
      browsers[index] as BrowserLike,
      `${at.gateway.url}/app/oidc/login?registration=${registration}&goto=/app/page`,
    )
  const jti = randomUUID()
  assert.equal((await at.logOut({ sub: 'demo', aud: ['gateway', 'shop'], jti })).status, 200)
  for (const browser of browsers) assert.equal((await browser.ask(at.page)).status, 401)
  assert.equal((await at.logOut({ sub: 'demo', aud: ['gateway', 'shop'], jti })).status, 400)
})

test(
  'a server that is down does not keep another one with the same client id from ending sessions',
  options,
  async () => {
    await using at = await setting({ hasServerThatIsDown: true })
    assert.equal((await at.logOut({ sid: 'unknown' })).status, 200)
    const refused = await at.logOut({ sid: 'unknown', iss: 'http://127.0.0.1:1' })
    assert.deepEqual([refused.status, JSON.parse(await refused.text()).error], [400, 'temporarily_unavailable'])
  },
)

test('tokens of another issuer, for another client or expired end no session', options, async () => {
  // An ID token of such a registration is accepted without verification: a logout token is not.
  await using at = await setting({ registration: { skipSignatureVerification: true } })
  const browser = new BrowserLike()
  const { text: sid } = await logIn(browser, at.page)
  const now = Math.floor(Date.now() / 1_000)
  const cases: readonly (readonly [Claims, TokenChanges, RegExp])[] = [
    [{ sid }, { key: STRANGER }, /signature|key/],
    [{ sid }, { header: { typ: 'at+jwt' } }, /not a logout token/],
    [{ sid }, { header: { typ: 'JWT' } }, /the type "JWT", expected logout\+jwt/],
    [{ sid, nbf: now + 60 }, {}, /not valid yet/],
    [{ sid, iss: 'https://other.example' }, {}, /iss and aud/],
    [{ sid, aud: 'other' }, {}, /iss and aud/],
    [{ sid, events: {} }, {}, /events/],
    [{ sid, events: undefined }, {}, /events/],
    [{ sid, nonce: 'n' }, {}, /nonce/],
    [{ sid, jti: undefined }, {}, /jti/],
    [{ sid, iat: now - 301 }, {}, /too old/],
    [{ sid, iat: now + 330 }, {}, /in the future/],
    [{ sid, iat: undefined }, {}, /iat/],
    [{ sid, exp: now - 1 }, {}, /expired/],
    [{}, {}, /sid or sub/],
    [{ sid: 7, sub: 'demo' }, {}, /claim sid is not a text/],
  ]
  for (const [claims, changes, reason] of cases) {
    const answer = await at.logOut(claims, changes)
    const { error, error_description: description } = (await answer.json()) as Record<string, string>
    assert.deepEqual([answer.status, answer.headers.get('cache-control'), error], [400, 'no-store', 'invalid_request'])
    assert.match(description as string, reason)
  }
  const endpoint = `${at.gateway.url}/app/oidc/backchannel-logout`
  assert.equal((await fetch(endpoint)).status, 405)
  for (const body of [
    '',
    'logout_token=',
    'logout_token=x',
    'logout_token=x&logout_token=y',
    `logout_token=${'x'.repeat(80_000)}`,
  ]) {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    assert.equal((await fetch(endpoint, { method: 'POST', body, headers })).status, 400)
  }
  assert.equal(
    (await fetch(endpoint, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } })).status,
    400,
  )
  const unsigned = (await logoutToken(at.provider.url, { sid })).split('.')
  unsigned[0] = Buffer.from('{"alg":"none","typ":"logout+jwt"}').toString('base64url')
  const body = new URLSearchParams({ logout_token: `${unsigned[0]}.${unsigned[1]}.` })
  assert.equal((await fetch(endpoint, { method: 'POST', body })).status, 400)
  assert.equal((await browser.ask(at.page)).status, 200)
})

test('open WebSocket connections of the session end, in every unit; others stay', options, async () => {
  await using upstream = await webSocketUpstream()
  await using at = await setting({ baseURI: upstream.url })
  const cookies: string[] = []
  for (const user of ['demo', 'other']) {
    const browser = new BrowserLike()
    const consentPage = await browser.submit(await browser.open(at.page), { login: user, password: 'x' })
    assert.equal((await browser.submit(consentPage)).status, 426)
    cookies.push(`gateway-session=${browser.cookie(at.page, 'gateway-session')}`)
  }
  const open = async (cookie: string | undefined) => {
    const socket = new WebSocket(at.page.replace('http', 'ws'), { headers: { Cookie: cookie as string } })
    await once(socket, 'open')
    return socket
  }
  const ended = await Promise.all(Array.from({ length: 6 }, () => open(cookies[0])))
  const kept = await open(cookies[1])
  const closed = ended.map((socket) => once(socket, 'close'))
  assert.equal((await at.logOut({ sub: 'demo' })).status, 200)
  for (const [code, reason] of await Promise.all(closed)) {
    assert.deepEqual([code, String(reason)], [1008, 'the user has logged out'])
  }
  kept.send('still here')
  assert.equal(String((await once(kept, 'message'))[0]), 'still here')
  kept.terminate()
})

for (const [where, sessionOf, name] of [
  [
    'Redis',
    (url: string) => ({ type: 'RedisSessionManager', config: { url, timeout: '2 s' } }),
    'gateway-redis-session',
  ],
  [
    'cookies, revocations in Redis',
    (url: string) => ({ ...COOKIES, config: { ...COOKIES.config, revocations: { url, timeout: '2 s' } } }),
    'gateway-jwt-session',
  ],
] as const) {
  test(`sessions in ${where}: every gateway applies the logout; without Redis the provider gets 400 and users 503`, {
    ...options,
    skip: redisMissing,
  }, async () => {
    await using redis = await RedisServer.start()
    await using at = await setting({ session: sessionOf(redis.url), gateways: 2 })
    const pages = at.gateways.map(({ url }) => `${url}/app/page`)
    const browser = new BrowserLike()
    await logIn(browser, at.page)
    const cookie = () => `${name}=${browser.cookie(at.page, name)}`
    const before = cookie()
    for (const page of pages) assert.deepEqual(await statuses(page, before), [200])
    assert.equal((await at.logOut({ sub: 'demo' })).status, 200)
    for (const page of pages) assert.deepEqual(await statuses(page, before), [302])
    assert.equal((await browser.open(at.page)).status, 200)
    for (const page of pages) assert.deepEqual(await statuses(page, cookie()), [200])
    await redis.kill()
    const failed = await at.logOut({ sub: 'demo' })
    assert.deepEqual(
      [failed.status, failed.headers.get('cache-control'), ((await failed.json()) as { error: string }).error],
      [400, 'no-store', 'temporarily_unavailable'],
    )
    for (const page of pages) assert.deepEqual(await statuses(page, cookie()), [503])
  })
}

test('a logout without a redirect shows a page with a link to log in again', options, async () => {
  await using at = await setting()
  const browser = new BrowserLike()
  await logIn(browser, at.page)
  const page = await browser.ask(`${at.gateway.url}/app/oidc/logout`)
  assert.deepEqual([page.status, page.headers.get('cache-control')], [200, 'no-store'])
  assert.match(page.text, /You are logged out<.*<a href="login">/)
  assert.equal((await browser.ask(at.page)).status, 302)
  assert.equal((await browser.ask(new URL('login', page.url).href)).status, 302)
})
