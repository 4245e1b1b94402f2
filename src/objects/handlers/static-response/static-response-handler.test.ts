import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Exchange, type Handler, InvalidHeaderError } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { StaticResponseHandler } from './static-response-handler.ts'

const handlerOf = (config: JsonValue, properties: JsonValue = {}) =>
  build<Handler>(StaticResponseHandler, config, { properties })

const get = (url = 'http://app.example.com/'): Exchange => exchangeFor('GET', url)
const TEXT = { 'Content-Type': 'text/plain; charset=utf-8' }

test('responds with the status alone: no header, no content, the default reason', async () => {
  await using built = await handlerOf({ status: 404 })

  const response = await built.object(get())

  assert.equal(response.status, 404)
  assert.equal(response.reason, 'Not Found')
  assert.deepEqual([...response.headers], [])
  assert.equal(response.trailers, null)
  assert.ok(response.body.isEmpty)
  assert.deepEqual(built.warnings, [])
})

test('status and reason may be configuration expressions', async () => {
  await using built = await handlerOf({ status: '${code}', reason: '${why}' }, { code: 418, why: 'Teapot' })

  const response = await built.object(get())

  assert.equal(response.status, 418)
  assert.equal(response.reason, 'Teapot')
})

test('a status without a default reason has an empty one', async () => {
  await using built = await handlerOf({ status: 799 })
  assert.equal((await built.object(get())).reason, '')
})

test('header values are texts or lists of texts, literal or evaluated for each request', async () => {
  await using built = await handlerOf({
    status: 200,
    headers: { 'X-One': 'one', 'X-Many': ['a', '${request.method}', 'c'], 'X-Number': '${1 + 1}' },
  })

  const { headers } = await built.object(get())

  assert.deepEqual(
    [...headers],
    [
      ['X-One', 'one'],
      ['X-Many', 'a'],
      ['X-Many', 'GET'],
      ['X-Many', 'c'],
      ['X-Number', '2'],
    ],
  )
})

test('a header value that is null adds nothing', async () => {
  await using built = await handlerOf({
    status: 200,
    headers: { 'X-Gone': ['${attributes.nothing}'], 'X-Here': ['1'] },
  })
  assert.deepEqual([...(await built.object(get())).headers], [['X-Here', '1']])
})

test('a line break from an expression in a header is a fault', async () => {
  await using built = await handlerOf({ status: 302, headers: { Location: ['${attributes.target}'] } })
  const exchange = get()
  exchange.attributes['target'] = '/\r\nSet-Cookie: a=b'
  await assert.rejects(built.object(exchange), InvalidHeaderError)
})

test('trailers are sent in addition to headers', async () => {
  await using built = await handlerOf({
    status: 200,
    headers: TEXT,
    entity: 'x',
    trailers: { 'X-Sum': ['${request.method}'], 'X-Gone': '${attributes.nothing}' },
  })
  assert.deepEqual([...((await built.object(get())).trailers ?? [])], [['X-Sum', 'GET']])
})

test('the entity is evaluated for each request', async () => {
  await using built = await handlerOf({ status: 200, headers: TEXT, entity: 'you asked for ${request.uri.path}' })
  assert.equal((await built.object(get('http://a.example.com/x'))).body.text(), 'you asked for /x')
  assert.equal((await built.object(get('http://a.example.com/y'))).body.text(), 'you asked for /y')
})

test('an entity of several texts is joined by line breaks; null is an empty one', async () => {
  await using built = await handlerOf({
    status: 200,
    headers: TEXT,
    entity: ['<p>', '${attributes.nothing}', '${request.method}', '</p>'],
  })
  assert.equal((await built.object(get())).body.text(), '<p>\n\nGET\n</p>')
})

test('an entity that is null, empty or an empty list is no content', async () => {
  for (const entity of ['${attributes.nothing}', '', []]) {
    await using built = await handlerOf({ status: 200, headers: TEXT, entity })
    assert.ok((await built.object(get())).body.isEmpty)
  }
})

test('an entity may repeat the request body', async () => {
  await using built = await handlerOf({ status: 200, headers: TEXT, entity: '${request.entity.string}' })
  const response = await built.object(exchangeFor('POST', 'http://app.example.com/', { body: 'echo' }))
  assert.equal(response.body.text(), 'echo')
})

test('a missing Content-Type is not added, but gives a warning', async () => {
  await using built = await handlerOf({ status: 200, entity: '<p>hi</p>' })
  assert.deepEqual([...(await built.object(get())).headers], [])
  assert.deepEqual(built.warnings, [
    '/heap/0: the entity has no Content-Type, so that clients guess what it is; add the header',
  ])
})

const encodings: readonly [string, string, string][] = [
  ['text/plain', 'é€', 'c3a9e282ac'],
  ['text/plain; charset=UTF-8', 'é€', 'c3a9e282ac'],
  ['text/plain; charset="ISO-8859-1"', 'é€😀', 'e93f3f'],
  ['text/plain;charset=us-ascii', 'aé€', '613f3f'],
  ['text/plain; charset=', 'é', 'c3a9'],
]

for (const [contentType, entity, expected] of encodings) {
  test(`the entity is encoded by ${contentType}`, async () => {
    await using built = await handlerOf({ status: 200, headers: { 'content-type': contentType }, entity })
    assert.equal(Buffer.from((await built.object(get())).body.bytes()).toString('hex'), expected)
  })
}

test('an unsupported charset from an expression is a fault', async () => {
  await using built = await handlerOf({ status: 200, headers: { 'Content-Type': '${attributes.type}' }, entity: 'x' })
  const exchange = get()
  exchange.attributes['type'] = 'text/plain; charset=utf-7'
  await assert.rejects(built.object(exchange), {
    message: 'expected a charset of utf-8, iso-8859-1, us-ascii, got "utf-7"',
  })
})

test('an expression that fails or is not text is a fault', async () => {
  for (const entity of ['${request.entity.json}', '${request.headers}']) {
    await using built = await handlerOf({ status: 200, headers: TEXT, entity })
    await assert.rejects(built.object(exchangeFor('POST', 'http://app.example.com/', { body: '{ not json' })))
  }
})

test('warns of content that is never sent and of a version that has no effect', async () => {
  await using built = await handlerOf({ status: 204, entity: 'x', version: 'HTTP/1.1' })
  assert.deepEqual(built.warnings, [
    '/heap/0/config/version: version has no effect: the version of a response is that of its connection',
    '/heap/0: the entity has no effect: a response of status 204 has no content',
  ])
})

test('warns of a hop-by-hop header', async () => {
  await using built = await handlerOf({ status: 200, headers: { 'Content-Length': '5' } })
  assert.deepEqual(built.warnings, [
    '/heap/0: setting the header Content-Length has no effect, since it belongs to one connection; remove it',
  ])
})

const where = '/heap/0/config'
const refusals: readonly [string, JsonValue, string][] = [
  ['no status', {}, `${where}/status: expected an integer from 200 to 999; this field is required`],
  ['a status of 101', { status: 101 }, `${where}/status: expected an integer from 200 to 999, got 101`],
  ['a status of 1000', { status: 1000 }, `${where}/status: expected an integer from 200 to 999, got 1000`],
  ['a status of text', { status: 'OK' }, `${where}/status: expected an integer from 200 to 999, got "OK"`],
  [
    'a status expression that gives no status',
    { status: '${100 + 1}' },
    `${where}/status: \${100 + 1} gave a bad value: expected an integer from 200 to 999, got 101`,
  ],
  [
    'a reason of two lines',
    { status: 200, reason: 'OK\r\nX: y' },
    `${where}/reason: expected text of one line without control characters`,
  ],
  [
    'a header name with a space',
    { status: 200, headers: { 'X Y': 'z' } },
    `${where}/headers/X Y: header name: expected a token (RFC 9110 section 5.6.2), got "X Y"`,
  ],
  [
    'a literal header value with a line break',
    { status: 200, headers: { 'X/Y~': 'a', X: ['fine', 'a\nb'] } },
    `${where}/headers/X~1Y~0: header name: expected a token (RFC 9110 section 5.6.2), got "X/Y~"\n` +
      `${where}/headers/X: header X: the value holds a line break or a control character; remove or encode it`,
  ],
  [
    'a trailer name that is empty',
    { status: 200, trailers: { '': 'a' } },
    `${where}/trailers/: header name: expected a token (RFC 9110 section 5.6.2), got ""`,
  ],
  [
    'a header value that is a number',
    { status: 200, headers: { X: 1 } },
    `${where}/headers/X: expected an expression (string) such as "\${...}", got 1`,
  ],
  [
    'an entity that is an object',
    { status: 200, entity: { a: 1 } },
    `${where}/entity: expected an expression (string), or an array of expression (string), got an object`,
  ],
  [
    'an expression that can not be parsed',
    { status: 200, headers: TEXT, entity: ['a', '${request.'] },
    `${where}/entity/1: "\${request." is not a valid expression: ` +
      'expected a property name after ".", found the end of the text',
  ],
  [
    'an unsupported literal charset',
    { status: 200, headers: { 'Content-Type': ['text/html; charset=Shift_JIS'] }, entity: 'x' },
    `${where}/headers/Content-Type: expected a charset of utf-8, iso-8859-1, us-ascii, got "shift_jis"`,
  ],
  ['a misspelt field', { status: 200, header: {} }, `${where}/header: unknown field; did you mean "headers"?`],
]

for (const [name, config, message] of refusals) {
  test(`refuses ${name}`, async () => {
    await assert.rejects(handlerOf(config), { code: 'GW_CONFIG_INVALID', message })
  })
}
