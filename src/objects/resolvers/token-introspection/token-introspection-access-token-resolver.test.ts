import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, test } from 'node:test'
import { type AccessTokenResolver, HandlerKind, type TokenResolution } from '#contracts'
import type { Handler } from '#http'
import { JsonNumber, type JsonObject } from '#json'
import { defineType } from '#schema'
import { build, manualClock } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { answerJson, introspectionServer } from '#test/introspection-server'
import { within } from '#test/waiting'
import { TransactionIdOutboundFilter } from '../../filters/transaction-id-outbound/transaction-id-outbound-filter.ts'
import { Chain } from '../../handlers/chain/chain.ts'
import { ClientHandler } from '../../handlers/reverse-proxy/client-handler.ts'
import { TokenIntrospectionAccessTokenResolver } from './token-introspection-access-token-resolver.ts'

const clock = manualClock()
const nowInSeconds = clock.now() / 1_000

const SURROUNDINGS = {
  clock,
  types: [Chain, ClientHandler, TransactionIdOutboundFilter],
  heap: [
    { name: 'ClientHandler', type: 'ClientHandler' },
    { name: 'TransactionIdOutboundFilter', type: 'TransactionIdOutboundFilter' },
    {
      name: 'ForgeRockClientHandler',
      type: 'Chain',
      config: { filters: ['TransactionIdOutboundFilter'], handler: 'ClientHandler' },
    },
  ],
}

async function resolverAt(config: JsonObject = {}) {
  const server = await introspectionServer()
  const built = await build<AccessTokenResolver>(
    TokenIntrospectionAccessTokenResolver,
    { endpoint: server.endpoint, ...config },
    SURROUNDINGS,
  ).catch(async (error: unknown) => {
    await server[Symbol.asyncDispose]()
    throw error
  })
  const exchange = exchangeFor('GET', 'https://app.example/')
  return {
    server,
    exchange,
    log: built.log,
    states: built.states,
    resolve: (token = 'token') => Promise.resolve(built.object.resolve(token, exchange)),
    async [Symbol.asyncDispose]() {
      await built[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('sends the request of RFC 7662, with the transaction id of the request', async () => {
  await using at = await resolverAt()
  await at.resolve('a.b~c+d/e=')
  const [request] = at.server.requests
  assert.equal(request?.method, 'POST')
  assert.equal(request?.target, '/introspect')
  assert.equal(request?.body, 'token=a.b%7Ec%2Bd%2Fe%3D&token_type_hint=access_token')
  assert.equal(request?.headers['content-type'], 'application/x-www-form-urlencoded')
  assert.equal(request?.headers.accept, 'application/json')
  assert.equal(request?.headers['x-vendor-transactionid'], `${at.exchange.transactionId.value}/0`)
})

test('returns the whole response for an active token', async () => {
  await using at = await resolverAt()
  const info = { active: true, scope: 'read  write', exp: nowInSeconds + 60, sub: 'demo', cnf: { 'x5t#S256': 'x' } }
  at.server.tokens.set('token', info)
  assert.deepEqual(await at.resolve(), {
    outcome: 'valid',
    accessToken: { token: 'token', info, scopes: new Set(['read', 'write']), expiresAt: clock.now() + 60_000 },
  })
})

const EXPIRED: TokenResolution = { outcome: 'invalid', description: 'The access token has expired.' }

/** Members of the response besides "active", and the resulting scopes and expiry, or the outcome. */
const infos: readonly [string, JsonObject, Partial<{ scopes: string[]; expiresAt: number | null; outcome: string }>][] =
  [
    ['scope as a list', { scope: ['a', 'b'] }, { scopes: ['a', 'b'] }],
    ['no scope', {}, { scopes: [], expiresAt: null }],
    ['scope null, exp null', { scope: null, exp: null }, { scopes: [], expiresAt: null }],
    ['expires_in where there is no exp', { expires_in: 60 }, { expiresAt: clock.now() + 60_000 }],
    ['exp goes before expires_in', { exp: nowInSeconds + 1, expires_in: 600 }, { expiresAt: clock.now() + 1_000 }],
    ['exp with a fraction', { exp: nowInSeconds + 0.5 }, { expiresAt: clock.now() + 500 }],
    ['B62: exp in the past', { exp: nowInSeconds - 1 }, { outcome: 'invalid' }],
    ['exp now', { exp: nowInSeconds }, { outcome: 'invalid' }],
    ['exp 0', { exp: 0 }, { outcome: 'invalid' }],
    ['exp negative', { exp: -1 }, { outcome: 'invalid' }],
    ['expires_in 0', { expires_in: 0 }, { outcome: 'invalid' }],
    ['B62: exp as a text', { exp: String(nowInSeconds + 60) }, { outcome: 'unavailable' }],
    ['exp as a boolean', { exp: true }, { outcome: 'unavailable' }],
    ['expires_in as a text', { expires_in: '60' }, { outcome: 'unavailable' }],
    ['scope as a number', { scope: 1 }, { outcome: 'unavailable' }],
    ['scope as an object', { scope: { a: true } }, { outcome: 'unavailable' }],
    ['a list of scopes that are none', { scope: ['a', 1] }, { outcome: 'unavailable' }],
    ['a refresh token of an OpenAM server', { token_type: 'refresh_token' }, { outcome: 'invalid' }],
    ['a refresh token of Keycloak', { typ: 'Refresh', token_type: 'Bearer' }, { outcome: 'invalid' }],
    ['an offline token of Keycloak', { typ: 'Offline' }, { outcome: 'invalid' }],
    ['an ID token of Keycloak', { typ: 'ID' }, { outcome: 'invalid' }],
    ['an ID token of Cognito', { token_use: 'id' }, { outcome: 'invalid' }],
    ['an ID token of an access manager', { tokenName: 'id_token' }, { outcome: 'invalid' }],
    ['an access token of Keycloak', { typ: 'Bearer', nonce: 'n' }, { expiresAt: null }],
    ['an access token of Cognito', { token_use: 'access' }, { expiresAt: null }],
    ['nbf in eleven seconds', { nbf: nowInSeconds + 11 }, { outcome: 'invalid' }],
    ['nbf in ten seconds', { nbf: nowInSeconds + 10 }, { expiresAt: null }],
    ['nbf as a text', { nbf: 'later' }, { outcome: 'unavailable' }],
    ['exp beyond every double', { exp: new JsonNumber('1e999') }, { outcome: 'unavailable' }],
    ['iat ahead, by the clock of the server', { iat: nowInSeconds + 300 }, { expiresAt: null }],
    ['exp beyond every date', { exp: 2 ** 53 }, { expiresAt: 8_640_000_000_000_000 }],
    ['an access token of Hydra', { token_use: 'access_token', token_type: 'Bearer' }, { expiresAt: null }],
    ['a refresh token of Hydra', { token_use: 'refresh_token', token_type: 'Bearer' }, { outcome: 'invalid' }],
    ['a use that is a list', { token_use: ['access'] }, { outcome: 'invalid' }],
    ['a refresh token of Django', { token_type: 'refresh' }, { outcome: 'invalid' }],
  ]

for (const [name, info, expected] of infos) {
  test(`an active token: ${name}`, async () => {
    await using at = await resolverAt()
    at.server.tokens.set('token', { active: true, ...info })
    const resolution = await at.resolve()
    if (expected.outcome !== undefined) {
      assert.equal(resolution.outcome, expected.outcome)
      return
    }
    assert.ok(resolution.outcome === 'valid')
    const { scopes, expiresAt } = resolution.accessToken
    if (expected.scopes !== undefined) assert.deepEqual([...scopes], expected.scopes)
    if (expected.expiresAt !== undefined) assert.equal(expiresAt, expected.expiresAt)
  })
}

test('issuer and audience are compared where they are configured', async () => {
  const config = { issuer: 'https://as.example', audience: ['api', 'shop'] }
  const outcome = async (info: JsonObject, settings: JsonObject = config) => {
    await using at = await resolverAt(settings)
    at.server.tokens.set('token', { active: true, ...info })
    const resolution = await at.resolve()
    return resolution.outcome === 'invalid' ? resolution.description : resolution.outcome
  }
  assert.equal(await outcome({ iss: 'https://as.example', aud: 'shop' }), 'valid')
  assert.equal(await outcome({ iss: 'https://as.example', aud: ['x', 'api'] }), 'valid')
  assert.equal(await outcome({ iss: 'https://as.example', aud: ['x', 'api'] }, { audience: 'api' }), 'valid')
  assert.equal(await outcome({ iss: 'https://as.example', aud: 'x' }), 'The access token is for another audience.')
  assert.equal(await outcome({ iss: 'https://as.example' }), 'The access token is for another audience.')
  for (const iss of ['https://as.example/', null])
    assert.equal(await outcome({ iss, aud: 'api' }), 'The access token has another issuer.')
  assert.equal(await outcome({ iss: 'anyone', aud: 'any' }, {}), 'valid')
})

test('an expired token is reported as expired', async () => {
  await using at = await resolverAt()
  at.server.tokens.set('token', { active: true, exp: nowInSeconds - 1 })
  assert.deepEqual(await at.resolve(), EXPIRED)
})

describe('B62: a response without active true rejects the token', () => {
  const plain =
    (status: number, text: string, headers: Record<string, string> = {}) =>
    (response: ServerResponse) =>
      void response.writeHead(status, headers).end(text)
  const json = (content: unknown) => (response: ServerResponse) => answerJson(response, 200, content)
  const answers: readonly [string, (response: ServerResponse) => void, string][] = [
    ['not active', json({ active: false }), 'invalid'],
    ['active as a text', json({ active: 'true' }), 'invalid'],
    ['active as a number', json({ active: 1 }), 'invalid'],
    ['active in a list', json({ active: [true] }), 'invalid'],
    ['an empty object', json({}), 'invalid'],
    ['active by prototype', plain(200, '{"__proto__":{"active":true}}'), 'invalid'],
    ['a list', json([{ active: true }]), 'unavailable'],
    ['true', json(true), 'unavailable'],
    ['HTML', plain(200, '<html>Welcome</html>', { 'Content-Type': 'text/html' }), 'unavailable'],
    ['an empty body', plain(200, ''), 'unavailable'],
    ['a member that is given twice', plain(200, '{"active":false,"active":true}'), 'unavailable'],
    ['half of an answer', plain(200, '{"active":true'), 'unavailable'],
    ['two answers', plain(200, '{"active":true}{}'), 'unavailable'],
    [
      'bytes that are no text',
      (response) => void response.end(Buffer.from('{"active":true,"x":"\xff"}', 'latin1')),
      'unavailable',
    ],
    ['nested without end', plain(200, `{"active":true,"x":${'['.repeat(10_000)}`), 'unavailable'],
    ['204', plain(204, ''), 'unavailable'],
    ['201', plain(201, '{"active":true}'), 'unavailable'],
    ['206', plain(206, '{"active":true}'), 'unavailable'],
    ['a redirect', plain(302, '{"active":true}', { Location: '/other' }), 'unavailable'],
    ['a permanent redirect', plain(308, '', { Location: '/other' }), 'unavailable'],
    ['400', plain(400, '{"error":"invalid_request"}'), 'bad_request'],
    ['401 for the credentials of the gateway', plain(401, '{"error":"invalid_client"}'), 'unavailable'],
    ['400 for the credentials of the gateway', plain(400, '{"error":"invalid_client"}'), 'unavailable'],
    ['403', plain(403, ''), 'unavailable'],
    ['404 as a page of something in front', plain(404, '<html>', { 'Content-Type': 'text/html' }), 'unavailable'],
    ['404', plain(404, '<html>'), 'bad_request'],
    ['400 that says active', plain(400, '{"active":true}'), 'bad_request'],
    ['429', plain(429, '{"active":true}'), 'unavailable'],
    ['408', plain(408, ''), 'unavailable'],
    ['500', plain(500, '{"active":true}'), 'unavailable'],
    ['503', plain(503, ''), 'unavailable'],
    ['a cut connection', (response) => void response.destroy(), 'unavailable'],
    [
      'a body that breaks off',
      (response) => {
        response.writeHead(200, { 'Content-Length': '1000' })
        response.write('{"active":true}', () => response.destroy())
      },
      'unavailable',
    ],
    ['more than a mebibyte', plain(200, `{"active":true,"x":"${'x'.repeat(1_048_576)}"}`), 'unavailable'],
    [
      '50 MB without a length',
      (response) => {
        response.writeHead(200)
        const chunk = Buffer.alloc(1_048_576, ' ')
        let left = 50
        const push = () => {
          while (left-- > 0) if (!response.write(chunk)) return void response.once('drain', push)
          response.end('{"active":true}')
        }
        push()
      },
      'unavailable',
    ],
  ]
  for (const [name, answer, outcome] of answers) {
    test(name, async () => {
      await using at = await resolverAt()
      at.server.answer = answer
      assert.equal((await at.resolve()).outcome, outcome)
      assert.equal(at.server.asked.length, 1)
    })
  }
})

test('F11: an unreachable server', async () => {
  await using at = await resolverAt({ endpoint: 'http://127.0.0.1:1/introspect' })
  assert.deepEqual(await at.resolve(), {
    outcome: 'unavailable',
    description: 'The authorization server is unavailable.',
  })
})

test('F11: a server that does not respond times out after five seconds', async (t) => {
  await using at = await resolverAt()
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  at.server.answer = () => resolve()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const resolution = at.resolve()
  await within('the server got the request', asked)
  t.mock.timers.tick(5_000)
  assert.equal((await resolution).outcome, 'unavailable')
  assert.match(at.log.lines.join(''), /no response within 5000 ms/)
})

test('a handler that throws counts as an unavailable server', async () => {
  const Thrower = defineType({
    name: 'Thrower',
    kind: HandlerKind,
    summary: 'Throws.',
    config: {},
    create: (): Handler => async () => {
      throw new Error('not today')
    },
  })
  await using built = await build<AccessTokenResolver>(
    TokenIntrospectionAccessTokenResolver,
    { endpoint: 'https://as.example/introspect', providerHandler: { type: 'Thrower' } },
    { types: [Thrower] },
  )
  const resolution = await built.object.resolve('token', exchangeFor('GET', 'https://app.example/'))
  assert.equal(resolution.outcome, 'unavailable')
})

test('failures are logged with their reason, once in ten seconds, without the token', async () => {
  await using at = await resolverAt()
  at.server.answer = (response) => answerJson(response, 400, { error: 'invalid_request' })
  for (let i = 0; i < 3; i++) await at.resolve('very-secret-token')
  clock.advance(10_000)
  await at.resolve('very-secret-token')
  assert.deepEqual(
    at.log.entries.map(({ level, message, reason, suppressed }) => ({ level, message, reason, suppressed })),
    [undefined, 2].map((suppressed) => ({
      level: 'warn',
      message: 'the authorization server rejected the introspection request',
      reason: 'status 400, error: invalid_request',
      suppressed,
    })),
  )
  assert.doesNotMatch(at.log.lines.join(''), /very-secret-token/)
})

test('an outage is logged with endpoint and cause, degrades the resolver, and its end is logged', async () => {
  await using at = await resolverAt()
  at.server.tokens.set('token', { active: true })
  at.server.answer = (response) => response.destroy()
  for (let i = 0; i < 3; i++) assert.equal((await at.resolve()).outcome, 'unavailable')
  const [failure, ...others] = at.log.entries
  assert.deepEqual(others, [])
  assert.equal(failure?.['endpoint'], at.server.endpoint)
  assert.equal((failure?.['error'] as { code?: string } | undefined)?.code, 'GW_UPSTREAM_CLOSED')
  assert.deepEqual(at.states, ['degraded: the authorization server is unavailable'])
  // A response just after a failure is no recovery, so that a server that fails for some requests does not fill the log.
  at.server.answer = null
  assert.equal((await at.resolve()).outcome, 'valid')
  assert.equal(at.states.length, 1)
  clock.advance(1_000)
  assert.equal((await at.resolve()).outcome, 'valid')
  assert.deepEqual(at.states.slice(1), ['up: the authorization server responds'])
  assert.equal(at.log.entries.at(-1)?.['message'], 'authorization server available again')
})

test('a malformed member of a response is logged by its name', async () => {
  for (const [info, reason] of [
    [{ exp: '4102444800' }, 'the claim exp is not a number of seconds since the epoch'],
    [{ nbf: true }, 'the claim nbf is not a number of seconds since the epoch'],
    [{ expires_in: true }, 'the claim expires_in is not a number of seconds'],
    [{ scope: 7 }, 'the claim scope is neither text nor a list of texts'],
  ] as const) {
    await using at = await resolverAt()
    at.server.tokens.set('token', { active: true, ...info })
    assert.equal((await at.resolve()).outcome, 'unavailable')
    assert.deepEqual(
      at.log.entries.map(({ level, code, reason }) => ({ level, code, reason })),
      [{ level: 'warn', code: 'GW_OBJECT_AUTHORIZATION_SERVER_UNUSABLE', reason }],
    )
  }
})

test('invalid values are reported with their pointer', async () => {
  const refused = (config: JsonObject, message: string) =>
    assert.rejects(build(TokenIntrospectionAccessTokenResolver, config, SURROUNDINGS), { message })
  await refused({}, '/heap/0/config: give at least one of amService, endpoint')
  await refused(
    { endpoint: 'as.example' },
    '/heap/0/config/endpoint: expected a URL (http://, https://), got "as.example"',
  )
  await refused(
    { endpoint: 'https://as.example', providerHandler: 'other' },
    '/heap/0/config/providerHandler: no Handler named "other" in this heap or its parents',
  )
})
