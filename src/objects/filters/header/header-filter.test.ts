import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Body, type Exchange, type Filter, type Handler, Response, respond } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { HeaderFilter } from './header-filter.ts'

const ok: Handler = async () => respond(200)

/** The raw headers after the filter. */
async function sent(config: JsonValue, exchange: Exchange): Promise<readonly string[]> {
  await using built = await build<Filter>(HeaderFilter, config)
  await built.object(exchange, ok)
  return exchange.request.headers.raw()
}

const plain = (headers: Record<string, string | string[]> = {}) =>
  exchangeFor('GET', 'http://app.test/a', { headers: { Host: 'app.test', ...headers } })

/** A request with malformed JSON. */
const broken = () => exchangeFor('POST', 'http://app.test/a', { body: '{' })

test('removes every value of a name, ignoring case', async () => {
  const raw = await sent(
    { messageType: 'REQUEST', remove: ['x-secret'] },
    plain({ 'X-Secret': ['1', '2'], 'X-SECRET': '3', 'X-Secrets': 'kept' }),
  )
  assert.deepEqual(raw, ['Host', 'app.test', 'X-Secrets', 'kept'])
})

test('adds constant values to existing ones', async () => {
  const raw = await sent(
    { messageType: 'request', add: { 'X-Tag': ['b', 'c'], 'X-One': 'd' } },
    plain({ 'x-tag': 'a' }),
  )
  assert.deepEqual(raw, ['Host', 'app.test', 'x-tag', 'a', 'X-Tag', 'b', 'X-Tag', 'c', 'X-One', 'd'])
})

test('replaces all existing values, and sets missing headers', async () => {
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

test('a null value adds nothing; a replaced header is removed', async () => {
  const nothing = ["${request.headers['None'][0]}"]
  const raw = await sent(
    { messageType: 'REQUEST', add: { B: nothing }, replace: { A: nothing, C: [...nothing, 'c'] } },
    plain({ A: '1', B: '2' }),
  )
  assert.deepEqual(raw, ['Host', 'app.test', 'B', '2', 'C', 'c'])
})

test('a request filter removes variants of its names that a server could treat as equal', async () => {
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

test('an added header keeps existing values of its own name, not those of a variant', async () => {
  const raw = await sent({ messageType: 'REQUEST', add: { 'X-Tag': ['b'] } }, plain({ 'x-tag': 'a', X_Tag: 'evil' }))
  assert.deepEqual(raw, ['Host', 'app.test', 'x-tag', 'a', 'X-Tag', 'b'])
})

test('one filter may set two spellings of a name', async () => {
  const raw = await sent({ messageType: 'REQUEST', replace: { 'X-User': ['a'], X_User: ['a'] } }, plain())
  assert.deepEqual(raw, ['Host', 'app.test', 'X-User', 'a', 'X_User', 'a'])
})

test('a response filter does not change the request, and changes exact names only', async () => {
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

test('a value may be computed from the body, which stays readable', async () => {
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

test('a value that is a list or a map is left out with a warning, as null is without one', async () => {
  await using built = await build<Filter>(HeaderFilter, {
    messageType: 'REQUEST',
    replace: { A: ["${request.headers['Many']}", '${request.headers}', 'kept'] },
    add: { B: ["${request.entity.string == null ? null : request.headers['Many']}"] },
  })
  const exchange = plain({ Many: ['1', '2'], A: 'old' })
  for (let i = 0; i < 3; i++) await built.object(exchange, ok)
  assert.deepEqual(exchange.request.headers.raw(), ['Host', 'app.test', 'Many', '1', 'Many', '2', 'A', 'kept'])
  const warnings = built.log.entries.filter(({ level }) => level === 'warn')
  assert.deepEqual(
    warnings.map(({ message, header }) => [message, header]),
    [
      ['header value left out', 'A'],
      ['header value left out', 'B'],
    ],
  )
})

const named = (name: string) => exchangeFor('GET', `http://app.test/?u=${encodeURIComponent(name)}`)
const NAME = '${request.queryParams["u"][0]}'
const bytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

test('a value beyond Latin-1 is left out without a fault; the value of the client is removed', async () => {
  await using built = await build<Filter>(HeaderFilter, { messageType: 'REQUEST', replace: { 'X-User': [NAME] } })
  const exchange = named('Łukasz')
  exchange.request.headers.add('X-User', 'admin')
  assert.equal((await built.object(exchange, ok)).status, 200)
  assert.equal(exchange.request.headers.has('x-user'), false)
  const [warning] = built.log.entries.filter(({ level }) => level === 'warn')
  assert.match(String(warning!['reason']), /beyond its encoding; HeaderFilter can send it with encoding UTF-8/)
  assert.doesNotMatch(JSON.stringify(built.log.entries), /ukasz/)
})

test('encoding ISO-8859-1 sends one byte for each character, UTF-8 the bytes of UTF-8', async () => {
  for (const [encoding, name, expected] of [
    ['ISO-8859-1', 'José', 'José'],
    ['iso-8859-1', 'jose', 'jose'],
    ['UTF-8', 'José', bytes('José')],
    ['utf-8', 'Łukasz 王 😀', bytes('Łukasz 王 😀')],
    ['UTF-8', 'jose', 'jose'],
  ] as const) {
    const exchange = named(name)
    await sent({ messageType: 'REQUEST', encoding, replace: { 'X-User': [NAME] } }, exchange)
    assert.equal(exchange.request.headers.get('x-user'), expected, `${encoding} ${name}`)
  }
})

test('constants and responses are encoded too', async () => {
  await using built = await build<Filter>(HeaderFilter, {
    messageType: 'RESPONSE',
    encoding: 'UTF-8',
    add: { A: ['Ł'], B: [NAME] },
  })
  const response = await built.object(named('王'), ok)
  assert.deepEqual(response.headers.raw(), ['A', bytes('Ł'), 'B', bytes('王')])
  await using constants = await build<Filter>(HeaderFilter, {
    messageType: 'REQUEST',
    encoding: 'UTF-8',
    add: { A: ['Ł'] },
  })
  const exchange = plain()
  await constants.object(exchange, ok)
  assert.equal(exchange.request.headers.get('a'), bytes('Ł'))
})

test('text that is not well-formed Unicode is left out with encoding UTF-8', async () => {
  const exchange = plain()
  exchange.attributes['half'] = 'a\ud800'
  await sent({ messageType: 'REQUEST', encoding: 'UTF-8', add: { A: ['${attributes.half}'] } }, exchange)
  assert.equal(exchange.request.headers.has('a'), false)
})

test('a line break in UTF-8 is a fault, never sent', async () => {
  await using built = await build<Filter>(HeaderFilter, {
    messageType: 'REQUEST',
    encoding: 'UTF-8',
    add: { A: [NAME] },
  })
  await assert.rejects(built.object(named('Ł\r\nX: y'), ok), { name: 'InvalidHeaderError' })
})

test('a failing expression is a fault', async () => {
  await using built = await build<Filter>(HeaderFilter, {
    messageType: 'REQUEST',
    add: { A: ['${request.entity.json.x}'] },
  })
  await assert.rejects(built.object(broken(), ok), { name: 'EvaluationError' })
})

test('a fault in a response filter cancels the body of the response', async () => {
  await using built = await build<Filter>(HeaderFilter, {
    messageType: 'RESPONSE',
    add: { A: ['${request.entity.json.x}'] },
  })
  let cancelled = false
  const body = Body.fromSource({
    start: () => {},
    resume: () => {},
    cancel: () => {
      cancelled = true
    },
  })
  await assert.rejects(
    built.object(broken(), async () => new Response(200, { body })),
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

test('a hop-by-hop header gives a warning', async () => {
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
    '/replace/X-A: header X-A: the value holds a line break or a control character; remove or encode it',
  ],
  [
    'a constant beyond the encoding',
    { messageType: 'REQUEST', add: { 'X-A': ['Ł'] } },
    '/add/X-A: header X-A: the value holds a character beyond its encoding',
  ],
  [
    'another encoding',
    { messageType: 'REQUEST', encoding: 'UTF-16' },
    '/encoding: expected one of "ISO-8859-1", "UTF-8", got "UTF-16"',
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
