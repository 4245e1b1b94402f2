import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Body, type Exchange, type Filter, type Response, respond } from '#http'
import type { JsonValue } from '#json'
import { build, manualClock } from '#test/build'
import { secretsType } from '#test/changing-secrets'
import { exchangeFor } from '#test/exchange'
import { type TokenResponse, tokenEndpoint } from '#test/token-endpoint'
import { waitUntil } from '#test/waiting'
import { ClientHandler } from '../../handlers/reverse-proxy/client-handler.ts'
import { ClientCredentialsOAuth2ClientFilter } from './client-credentials-oauth2-client-filter.ts'

const issued = (token: string, more: Record<string, unknown> = {}): TokenResponse => ({
  json: { access_token: token, token_type: 'Bearer', expires_in: 3600, ...more },
})

async function started(
  reply: (count: number) => TokenResponse | Promise<TokenResponse>,
  config: Record<string, JsonValue> = {},
  clock = manualClock(),
) {
  const endpoint = await tokenEndpoint((_, count) => reply(count))
  const built = await build<Filter>(
    ClientCredentialsOAuth2ClientFilter,
    { tokenEndpoint: endpoint.url, endpointHandler: { type: 'ClientHandler' }, ...config },
    { types: [ClientHandler, secretsType({ 'client.secret': 's:1' })], clock },
  )
  const seen: string[] = []
  /** Sends a request; the response of the service depends on the token. */
  const send = (answer: (token: string, exchange: Exchange) => Response = () => respond(200), body?: Body) => {
    const exchange = exchangeFor('POST', 'http://app.example/x', body === undefined ? {} : { body })
    return built.object(exchange, async (each) => {
      const [field, ...others] = each.request.headers.all('authorization')
      assert.deepEqual(others, [])
      seen.push(field ?? 'none')
      return answer(field ?? '', each)
    })
  }
  const dispose = async () => {
    await built[Symbol.asyncDispose]()
    await endpoint[Symbol.asyncDispose]()
  }
  return { endpoint, built, seen, send, clock, [Symbol.asyncDispose]: dispose }
}

test('a token is requested by the client credentials grant and sent with each request', async () => {
  await using gate = await started(() => issued('t1'), { scopes: ['read', 'write:all'] })
  assert.equal((await gate.send()).status, 200)
  await gate.send()
  assert.deepEqual(gate.seen, ['Bearer t1', 'Bearer t1'])
  assert.equal(gate.endpoint.requests.length, 1)
  const [tokenRequest] = gate.endpoint.requests
  assert.equal(tokenRequest?.method, 'POST')
  assert.equal(tokenRequest?.text, 'grant_type=client_credentials&scope=read+write%3Aall')
  assert.equal(tokenRequest?.headers['content-type'], 'application/x-www-form-urlencoded')
  assert.equal(tokenRequest?.headers.accept, 'application/json')
})

test('without scopes none are requested', async () => {
  await using gate = await started(() => issued('t1'))
  await gate.send()
  assert.equal(gate.endpoint.requests[0]?.text, 'grant_type=client_credentials')
})

test('B61: concurrent requests share one token request', async () => {
  await using gate = await started(() => issued('t1'))
  await Promise.all(Array.from({ length: 200 }, () => gate.send()))
  assert.equal(gate.endpoint.requests.length, 1)
  assert.equal(gate.seen.length, 200)
  assert.equal(gate.built.metrics.values.get('gw_oauth2_client_token_requests_total'), 1)
})

/** Sends requests until one has another token than the one before it. */
async function replaced({ send, seen }: Awaited<ReturnType<typeof started>>): Promise<void> {
  const before = seen.at(-1)
  await waitUntil('the token was replaced', async () => {
    await send()
    return seen.at(-1) !== before
  })
}

for (const [what, expires, begin] of [
  ['a token is replaced before it expires: after nine tenths of its lifetime', 100, 90_000],
  ['a long-lived token is replaced thirty seconds before it expires', '3600', 3_570_000],
  ['a token without an expiry is replaced after less than a minute', undefined, 54_000],
] as const) {
  test(what, async () => {
    await using gate = await started((count) => issued(`t${count}`, { expires_in: expires }))
    await gate.send()
    gate.clock.advance(begin - 1)
    await gate.send()
    assert.equal(gate.endpoint.requests.length, 1)
    gate.clock.advance(1)
    await gate.send()
    assert.deepEqual(gate.seen, ['Bearer t1', 'Bearer t1', 'Bearer t1'], 'a request does not wait for the new token')
    await replaced(gate)
    assert.equal(gate.seen.at(-1), 'Bearer t2')
    assert.equal(gate.endpoint.requests.length, 2)
  })
}

test('while a token is replaced, requests have the old one until it expires, also where the endpoint is slow or fails', async () => {
  const slow = Promise.withResolvers<TokenResponse>()
  await using gate = await started((count) => {
    if (count === 1) return issued('t1', { expires_in: 100 })
    return count === 2 ? slow.promise : { status: 500, json: {} }
  })
  await gate.send()
  gate.clock.advance(90_000)
  for (let at = 0; at < 3; at++) assert.equal((await gate.send()).status, 200)
  slow.resolve({ status: 503, json: {} })
  const failures = () => gate.built.log.entries.filter(({ code }) => code === 'GW_OBJECT_TOKEN_REQUEST_FAILED')
  await waitUntil('the failure was logged', () => failures().length > 0)
  gate.clock.advance(9_999)
  assert.equal((await gate.send()).status, 200)
  assert.deepEqual(new Set(gate.seen), new Set(['Bearer t1']))
  gate.clock.advance(1)
  assert.equal((await gate.send()).status, 503)
})

test('a token that the service rejects in the last tenth of its lifetime is not sent again', async () => {
  await using gate = await started((count) => issued(`t${count}`, { expires_in: 100 }))
  await gate.send()
  gate.clock.advance(90_000)
  const response = await gate.send((token) => respond(token === 'Bearer t1' ? 401 : 200))
  assert.equal(response.status, 200)
  assert.deepEqual(gate.seen, ['Bearer t1', 'Bearer t1', 'Bearer t2'])
})

for (const [what, expires] of [
  ['zero', 0],
  ['in the past', -5],
  ['no number', 'soon'],
] as const) {
  test(`a token whose expiry is ${what} is used once and not cached`, async () => {
    await using gate = await started((count) => issued(`t${count}`, { expires_in: expires }))
    await gate.send()
    await gate.send()
    assert.deepEqual(gate.seen, ['Bearer t1', 'Bearer t2'])
  })
}

test('a token that the service rejects is replaced, and the request sent again', async () => {
  await using gate = await started((count) => issued(`t${count}`))
  const response = await gate.send((token) => respond(token === 'Bearer t1' ? 401 : 200), Body.of('content'))
  assert.equal(response.status, 200)
  assert.deepEqual(gate.seen, ['Bearer t1', 'Bearer t2'])
})

test('a second 401 is passed on, and further ones request no tokens until a pause is over', async () => {
  await using gate = await started((count) => issued(`t${count}`))
  for (let at = 0; at < 5; at++) assert.equal((await gate.send(() => respond(401))).status, 401)
  assert.deepEqual(gate.seen, ['Bearer t1', ...Array.from({ length: 5 }, () => 'Bearer t2')])
  assert.equal(gate.endpoint.requests.length, 2)
  gate.clock.advance(10_000)
  await gate.send(() => respond(401))
  assert.equal(gate.endpoint.requests.length, 3)
})

test('a streamed body is not sent again; the next request has the new token', async () => {
  await using gate = await started((count) => issued(`t${count}`))
  const body = Body.fromStream(Readable.from([Buffer.from('content')]))
  assert.equal((await gate.send(() => respond(401), body)).status, 401)
  assert.equal((await gate.send()).status, 200)
  assert.deepEqual(gate.seen, ['Bearer t1', 'Bearer t2'])
})

test('the 401 is passed on where there is no new token', async () => {
  await using gate = await started((count) => (count === 1 ? issued('t1') : { status: 500, json: {} }))
  assert.equal((await gate.send(() => respond(401, { 'X-From': 'service' }))).headers.get('x-from'), 'service')
  assert.deepEqual(gate.seen, ['Bearer t1'])
})

const failures: readonly [string, TokenResponse, number][] = [
  ['a refusal', { status: 401, json: { error: 'invalid_client', error_description: 'who are you' } }, 502],
  ['a refusal that is no JSON', { status: 400, text: '<html>' }, 502],
  ['a redirect', { status: 302, headers: { location: 'http://evil.example/' }, json: {} }, 502],
  ['an empty answer', { text: '' }, 502],
  ['HTML', { text: '<html></html>' }, 502],
  ['a list', { json: [] }, 502],
  ['a token that is no text', { json: { access_token: 7, token_type: 'Bearer' } }, 502],
  ['a token that would end the header', { json: { access_token: 'a\r\nb', token_type: 'Bearer' } }, 502],
  ['a token in __proto__', { text: '{"__proto__":{"access_token":"x","token_type":"Bearer"}}' }, 502],
  ['a token of another type', { json: { access_token: 'x', token_type: 'DPoP' } }, 502],
  ['a token without a type', { json: { access_token: 'x' } }, 502],
  ['an error of the server', { status: 500, json: { access_token: 'x', token_type: 'Bearer' } }, 503],
  ['too many requests', { status: 429, json: {} }, 503],
  ['a megabyte', { text: `{"access_token":"x","token_type":"Bearer","more":"${'y'.repeat(1_000_000)}"}` }, 503],
]

for (const [what, reply, status] of failures) {
  test(`B62, B65: ${what} from the token endpoint gives ${status}, and the request is not sent`, async () => {
    await using gate = await started(() => reply)
    const response = await gate.send()
    assert.equal(response.status, status)
    assert.equal(response.headers.get('retry-after'), status === 503 ? '1' : null)
    assert.deepEqual(gate.seen, [])
    assert.equal(gate.endpoint.requests.length, 1)
  })
}

test('an unreachable token endpoint gives 503', async () => {
  await using gate = await started(() => issued('t1'), { tokenEndpoint: 'http://127.0.0.1:1/token' })
  assert.equal((await gate.send()).status, 503)
  assert.deepEqual(gate.seen, [])
})

test('B61: a failure is shared for one second only', async () => {
  await using gate = await started((count) => (count === 1 ? { status: 503, json: {} } : issued('t1')))
  assert.equal((await gate.send()).status, 503)
  gate.clock.advance(999)
  assert.equal((await gate.send()).status, 503)
  assert.equal(gate.endpoint.requests.length, 1)
  gate.clock.advance(1)
  assert.equal((await gate.send()).status, 200)
})

test('the deprecated clientId and clientSecretId authenticate by client_secret_basic', async () => {
  await using gate = await started(() => issued('t1'), {
    clientId: 'gate way',
    clientSecretId: 'client.secret',
    secretsProvider: { type: 'TestSecrets' },
  })
  await gate.send()
  const [tokenRequest] = gate.endpoint.requests
  assert.equal(tokenRequest?.headers.authorization, `Basic ${Buffer.from('gate+way:s%3A1').toString('base64')}`)
  assert.equal(tokenRequest?.text, 'grant_type=client_credentials')
  assert.match(gate.built.warnings.join(), /clientSecretId/)
})

test('clientId alone is sent in the form', async () => {
  await using gate = await started(() => issued('t1'), { clientId: 'gateway' })
  await gate.send()
  assert.equal(gate.endpoint.requests[0]?.text, 'grant_type=client_credentials&client_id=gateway')
})

test('an unavailable client secret gives 503, and no token is requested', async () => {
  await using gate = await started(() => issued('t1'), {
    clientId: 'gateway',
    clientSecretId: 'absent',
    secretsProvider: { type: 'TestSecrets' },
  })
  assert.equal((await gate.send()).status, 503)
  assert.equal(gate.endpoint.requests.length, 0)
})

test('handler is the old name of endpointHandler', async () => {
  const config = { tokenEndpoint: 'http://127.0.0.1:1/token', handler: { type: 'ClientHandler' } }
  await using built = await build(ClientCredentialsOAuth2ClientFilter, config, { types: [ClientHandler] })
  assert.match(built.warnings.join(), /endpointHandler/)
})

const bad: readonly [string, Record<string, JsonValue>, RegExp][] = [
  ['no endpoint', {}, /\/tokenEndpoint: .*this field is required/],
  ['an endpoint that is no URL', { tokenEndpoint: 'as' }, /\/tokenEndpoint: expected a URL/],
  ['two scopes in one', { tokenEndpoint: 'http://a/', scopes: ['a b'] }, /\/scopes\/0: expected one scope/],
  [
    'a secret without a client',
    { tokenEndpoint: 'http://a/', clientSecretId: 'x' },
    /clientSecretId needs clientId and secretsProvider/,
  ],
]

for (const [what, config, message] of bad) {
  test(`${what} is refused at load`, async () => {
    const whole = { endpointHandler: { type: 'ClientHandler' }, ...config }
    await assert.rejects(build(ClientCredentialsOAuth2ClientFilter, whole, { types: [ClientHandler] }), { message })
  })
}
