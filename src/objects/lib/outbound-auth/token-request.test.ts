import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Body, type Exchange, type Handler, internalExchange, Request, Response, respond, Uri } from '#http'
import { within } from '#test/waiting'
import { decodeTokenResponse, requestToken, type TokenRequest } from './token-request.ts'

const asked = (handler: Handler, more: Partial<TokenRequest> = {}) =>
  requestToken({ endpoint: 'http://as.example/token', handler, fields: { a: '1' }, onBehalfOf: null, ...more })

const GOOD = '{"access_token":"x","token_type":"Bearer"}'

test('the request is a form with encoded fields; a field with several values is repeated', async () => {
  let seen = ''
  const handler: Handler = async ({ request }) => {
    seen = `${request.method} ${request.uri} ${request.headers.get('content-type')} ${request.body.text()}`
    return respond(200, {}, GOOD)
  }
  const { outcome } = await asked(handler, { fields: { scope: 'a b', resource: ['http://x', 'http://y'] } })
  assert.equal(outcome, 'issued')
  assert.equal(
    seen,
    'POST http://as.example/token application/x-www-form-urlencoded scope=a+b&resource=http%3A%2F%2Fx&resource=http%3A%2F%2Fy',
  )
})

test('a response that does not arrive times out, and the request is aborted', async () => {
  const given: string[] = []
  const silent: Handler = (exchange) => {
    exchange.onAbort(({ message }) => given.push(message))
    return new Promise(() => {})
  }
  const answer = await asked(silent, { timeout: 5 })
  assert.deepEqual(answer, { outcome: 'unavailable', reason: 'no response within 5 ms', cause: null })
  assert.deepEqual(given, ['no response within 5 ms'])
})

test('a body that does not arrive times out', async () => {
  const source = { start: () => {}, pause: () => {}, resume: () => {}, cancel: () => {} }
  const dribbling: Handler = async () => new Response(200, { body: Body.fromSource(source) })
  assert.equal((await asked(dribbling, { timeout: 5 })).outcome, 'unavailable')
})

test('the request is aborted with the request that needs the token', async () => {
  const cause: Exchange = internalExchange(new Request({ method: 'GET', uri: Uri.parse('http://app.example/') }))
  const aborted = Promise.withResolvers<string>()
  const waiting: Handler = (exchange) =>
    new Promise((_, reject) => {
      exchange.onAbort((reason) => {
        aborted.resolve(reason.message)
        reject(reason)
      })
    })
  const answer = asked(waiting, { onBehalfOf: cause })
  cause.abort(new Error('the client has left'))
  assert.equal(await within('the exchange was aborted', aborted.promise), 'the client has left')
  assert.equal((await answer).outcome, 'unavailable')
})

test('a handler that throws counts as an unavailable server', async () => {
  const error = new Error('no route to host')
  const answer = await asked(() => Promise.reject(error))
  assert.deepEqual(answer, { outcome: 'unavailable', reason: 'the request failed', cause: error })
})

test('B62: a response with a status other than 200 gives no token', async () => {
  for (const [status, outcome] of [
    [201, 'malformed'],
    [204, 'malformed'],
    [301, 'malformed'],
    [400, 'refused'],
    [401, 'refused'],
    [404, 'malformed'],
    [499, 'malformed'],
    [408, 'unavailable'],
    [429, 'unavailable'],
    [500, 'unavailable'],
    [999, 'unavailable'],
  ] as const) {
    assert.equal((await asked(async () => respond(status, {}, GOOD))).outcome, outcome, String(status))
  }
})

test('a 4xx response other than 400 rejects the token only with an error code; 401 rejects the client', () => {
  const invalidTarget = '{"error":"invalid_target"}'
  for (const [status, content, error] of [
    [400, invalidTarget, 'invalid_target'],
    [403, invalidTarget, 'invalid_target'],
    [400, '{"message":"no"}', 'invalid_request'],
    [401, '{"error":"invalid_grant"}', 'invalid_grant'],
    [401, '{}', 'invalid_client'],
    [401, '', 'invalid_client'],
    [400, 'no', 'invalid_request'],
    [403, '<html>', null],
    [404, '404 page not found', null],
    [404, '{"message":"no such path"}', null],
    [413, '{"error":7}', null],
  ] as const) {
    const result = decodeTokenResponse(status, Buffer.from(content))
    assert.equal(result.outcome, error === null ? 'malformed' : 'refused', `${status} ${content}`)
    assert.equal(result.outcome === 'refused' ? result.error : null, error)
  }
})

const decoded = (json: unknown) => decodeTokenResponse(200, Buffer.from(JSON.stringify(json)))

test('scope can be a text or a list; a value of another type is ignored', () => {
  for (const [scope, scopes] of [
    ['a  b', ['a', 'b']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    ['', []],
    [undefined, null],
    [7, null],
    [['a', 7], null],
  ] as const) {
    const answer = decoded({ access_token: 'x', token_type: 'Bearer', scope })
    assert.deepEqual(answer.outcome === 'issued' ? answer.scopes : answer.outcome, scopes)
  }
})

test('a lifetime is a number of seconds, as text or not; a malformed one counts as missing', () => {
  for (const [expires, lifetime] of [
    [60, 60_000],
    ['60', 60_000],
    [1.5, 1_500],
    [undefined, null],
    [null, null],
    [0, 0],
    [-1, 0],
    ['1e3', 0],
    [true, 0],
    [{}, 0],
  ] as const) {
    const answer = decoded({ access_token: 'x', token_type: 'Bearer', expires_in: expires })
    assert.equal(answer.outcome === 'issued' ? answer.lifetime : answer.outcome, lifetime, String(expires))
  }
  const endless = decodeTokenResponse(200, Buffer.from('{"access_token":"x","token_type":"Bearer","expires_in":1e400}'))
  assert.equal(endless.outcome === 'issued' ? endless.lifetime : null, 0)
})

test('a body that is not UTF-8, nested too deeply or no object is malformed', () => {
  for (const content of [
    Buffer.from([0x22, 0xff, 0x22]),
    Buffer.from('['.repeat(1_000)),
    Buffer.from('"x"'),
    Buffer.alloc(0),
  ]) {
    assert.equal(decodeTokenResponse(200, content).outcome, 'malformed')
  }
})
