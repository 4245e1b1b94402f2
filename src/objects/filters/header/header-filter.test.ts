import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Body, type Exchange, type Filter, type Handler, Response, respond } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { HeaderFilter } from './header-filter.ts'

const ok: Handler = async () => respond(200)

/** The raw headers that stand behind the filter. */
async function sent(config: JsonValue, exchange: Exchange): Promise<readonly string[]> {
  await using built = await build<Filter>(HeaderFilter, config)
  await built.object(exchange, ok)
  return exchange.request.headers.raw()
}

const plain = (headers: Record<string, string | string[]> = {}) =>
  exchangeFor('GET', 'http://app.test/a', { headers: { Host: 'app.test', ...headers } })

test('removes every value of a name, whatever its case', async () => {
  const raw = await sent(
    { messageType: 'REQUEST', remove: ['x-secret'] },
    plain({ 'X-Secret': ['1', '2'], 'X-SECRET': '3', 'X-Secrets': 'kept' }),
  )
  assert.deepEqual(raw, ['Host', 'app.test', 'X-Secrets', 'kept'])
})

test('adds constant values beside those that are there', async () => {
  const raw = await sent(
    { messageType: 'request', add: { 'X-Tag': ['b', 'c'], 'X-One': 'd' } },
    plain({ 'x-tag': 'a' }),
  )
  assert.deepEqual(raw, ['Host', 'app.test', 'x-tag', 'a', 'X-Tag', 'b', 'X-Tag', 'c', 'X-One', 'd'])
})

test('replaces all present values, and sets what was not there', async () => {
  const raw = await sent(
    { messageType: 'REQUEST', replace: { host: ['upstream.test'], 'X-New': ['n'] } },
    plain({ Accept: 'a' }),
  )
  assert.deepEqual(raw, ['Accept', 'a', 'host', 'upstream.test', 'X-New', 'n'])
})

test('removes first, then replaces, then adds', async () => {
  const raw = await sent(
    { messageType: 'REQUEST', add: { A: ['3'] }, replace: { A: ['2'] }, remove: ['A'] },
    plain({ A: '1' }),
  )
  assert.deepEqual(raw, ['Host', 'app.test', 'A', '2', 'A', '3'])
})

test('evaluates values before it removes anything', async () => {
  const raw = await sent(
    { messageType: 'REQUEST', remove: ['Old'], add: { New: ["<${request.headers['Old'][0]}>"] } },
    plain({ Old: 'v' }),
  )
  assert.deepEqual(raw, ['Host', 'app.test', 'New', '<v>'])
})

test('a null value adds nothing; of a replaced header nothing stays', async () => {
  const nothing = ["${request.headers['None'][0]}"]
  const raw = await sent(
    { messageType: 'REQUEST', add: { B: nothing }, replace: { A: nothing, C: [...nothing, 'c'] } },
    plain({ A: '1', B: '2' }),
  )
  assert.deepEqual(raw, ['Host', 'app.test', 'B', '2', 'C', 'c'])
})

test('a request filter removes spellings of its names that a server could take for them', async () => {
  const variants = { X_User: 'evil', 'x.user': 'evil', X_uSER: 'evil' }
  for (const config of [
    { replace: { 'X-User': ['good'] } },
    { remove: ['X-User'], add: { 'X-User': ['good'] } },
    { remove: ['X_User'], add: { 'X-User': ['good'] } },
  ]) {
    const raw = await sent({ messageType: 'REQUEST', ...config }, plain({ ...variants, 'x-USER': ['evil', 'evil'] }))
    assert.deepEqual(raw, ['Host', 'app.test', 'X-User', 'good'])
  }
})

test('an added header keeps what came under its own name, not what came under a variant', async () => {
  const raw = await sent({ messageType: 'REQUEST', add: { 'X-Tag': ['b'] } }, plain({ 'x-tag': 'a', X_Tag: 'evil' }))
  assert.deepEqual(raw, ['Host', 'app.test', 'x-tag', 'a', 'X-Tag', 'b'])
})

test('one filter may set two spellings of a name', async () => {
  const raw = await sent({ messageType: 'REQUEST', replace: { 'X-User': ['a'], X_User: ['a'] } }, plain())
  assert.deepEqual(raw, ['Host', 'app.test', 'X-User', 'a', 'X_User', 'a'])
})

test('a response filter leaves the request alone and touches exact names only', async () => {
  await using built = await build<Filter>(HeaderFilter, {
    messageType: 'RESPONSE',
    remove: ['Server'],
    replace: { 'X-Path': ['${request.uri.path}'] },
    add: { 'X-Status': ['${response.status.code}'] },
  })
  const exchange = plain({ Server: 'mine' })
  const response = await built.object(exchange, async () =>
    respond(203, { Server: 'x', 'X-Path': 'old', X_Path: 'kept' }),
  )
  assert.deepEqual(response.headers.raw(), ['X_Path', 'kept', 'X-Path', '/a', 'X-Status', '203'])
  assert.equal(exchange.request.headers.get('server'), 'mine')
})

test('a value may be made from the body, which stays readable', async () => {
  const exchange = exchangeFor('POST', 'http://app.test/', { headers: { Host: 'app.test' }, body: streamed('hello') })
  const raw = await sent(
    { messageType: 'REQUEST', add: { A: ['${request.entity.string}', 'x'], B: ['${request.entity.length}'] } },
    exchange,
  )
  assert.deepEqual(raw, ['Host', 'app.test', 'A', 'hello', 'A', 'x', 'B', '5'])
  assert.equal(exchange.request.body.text(), 'hello')
})

test('a value with a line break is a fault, never sent', async () => {
  await using built = await build<Filter>(HeaderFilter, {
    messageType: 'REQUEST',
    add: { 'X-A': ['${request.queryParams["q"][0]}'] },
  })
  let called = false
  const next: Handler = async () => {
    called = true
    return respond(200)
  }
  await assert.rejects(built.object(exchangeFor('GET', 'http://app.test/?q=a%0d%0aX-B:%20c'), next), {
    name: 'InvalidHeaderError',
  })
  assert.equal(called, false)
})

test('a failing expression is a fault', async () => {
  await using built = await build<Filter>(HeaderFilter, { messageType: 'REQUEST', add: { A: ['${request.headers}'] } })
  await assert.rejects(built.object(plain(), ok), { name: 'EvaluationError' })
})

test('a fault on the way back gives the body of the response up', async () => {
  await using built = await build<Filter>(HeaderFilter, { messageType: 'RESPONSE', add: { A: ['${request.headers}'] } })
  let cancelled = false
  const body = Body.fromSource({
    start: () => {},
    resume: () => {},
    cancel: () => {
      cancelled = true
    },
  })
  await assert.rejects(
    built.object(plain(), async () => new Response(200, { body })),
    { name: 'EvaluationError' },
  )
  assert.equal(cancelled, true)
})

test('an empty filter changes nothing', async () => {
  assert.deepEqual(await sent({ messageType: 'REQUEST' }, plain({ A: '1' })), ['Host', 'app.test', 'A', '1'])
})

test('names come from properties too', async () => {
  await using built = await build<Filter>(
    HeaderFilter,
    { messageType: '${direction}', remove: ['${secretHeader}'] },
    { properties: { direction: 'response', secretHeader: 'X-Secret' } },
  )
  const response = await built.object(plain(), async () => respond(200, { 'x-secret': '1' }))
  assert.deepEqual(response.headers.raw(), [])
})

test('a header of the connection is warned about', async () => {
  await using built = await build<Filter>(HeaderFilter, {
    messageType: 'REQUEST',
    remove: ['Connection'],
    add: { 'Content-Length': ['5'] },
    replace: { Connection: ['close'] },
  })
  const text = (name: string) =>
    `/heap/0: setting the header ${name} has no effect, since it belongs to one connection; remove it`
  assert.deepEqual(built.warnings, [text('Connection'), text('Content-Length')])
})

const refusals: readonly [string, JsonValue, string][] = [
  ['no message type', {}, '/messageType: expected "REQUEST" or "RESPONSE"; this field is required'],
  ['another message type', { messageType: 'BOTH' }, '/messageType: expected one of "REQUEST", "RESPONSE", got "BOTH"'],
  [
    'a name that is not a token',
    { messageType: 'REQUEST', add: { 'a/b c': ['1'] } },
    '/add/a~1b c: header name: expected a token (RFC 9110 section 5.6.2), got "a/b c"',
  ],
  [
    'a bad name with an expression',
    { messageType: 'REQUEST', replace: { '': ['${request.method}'] } },
    '/replace/: header name: expected a token (RFC 9110 section 5.6.2), got ""',
  ],
  [
    'a bad name to remove',
    { messageType: 'REQUEST', remove: ['a', 'b:'] },
    '/remove/1: header name: expected a token (RFC 9110 section 5.6.2), got "b:"',
  ],
  [
    'a line break in a constant',
    { messageType: 'RESPONSE', replace: { 'X-A': ['a\r\nX-B: c'] } },
    '/replace/X-A: header X-A: the value holds a line break, a control character or one beyond Latin-1; remove or encode it',
  ],
  [
    'a value that is not text',
    { messageType: 'REQUEST', add: { A: [1] } },
    '/add/A/0: expected an expression (string) such as "${...}", got 1',
  ],
  ['an unknown field', { messageType: 'REQUEST', added: {} }, '/added: unknown field; did you mean "add"?'],
]

for (const [what, config, message] of refusals) {
  test(`refuses ${what}`, async () => {
    await assert.rejects(build(HeaderFilter, config), {
      code: 'GW_CONFIG_INVALID',
      message: `/heap/0/config${message}`,
    })
  })
}

function streamed(text: string): Body {
  return Body.fromSource({
    start: (sink) => {
      sink.write(Buffer.from(text))
      sink.end(null)
    },
    resume: () => {},
    cancel: () => {},
  })
}
