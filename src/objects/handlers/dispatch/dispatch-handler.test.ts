import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange, Handler } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { EchoHandler } from '#test/trail'
import { StaticResponseHandler } from '../static-response/static-response-handler.ts'
import { DispatchHandler } from './dispatch-handler.ts'

const status = (code: number): JsonValue => ({ type: 'StaticResponseHandler', config: { status: code } })
const echo: JsonValue = { type: 'EchoHandler' }

const dispatchTo = (...bindings: JsonValue[]) =>
  build<Handler>(DispatchHandler, { bindings }, { types: [EchoHandler, StaticResponseHandler] })

const get = (url = 'http://gateway.example.com:8080/a/b?x=1&y=%20'): Exchange => exchangeFor('GET', url)

test('the first binding whose condition is true handles the request', async () => {
  await using built = await dispatchTo(
    { condition: "${find(request.uri.path, '^/orders')}", handler: status(201) },
    { condition: "${find(request.uri.path, '^/')}", handler: status(202) },
    { handler: status(203) },
  )
  assert.equal((await built.object(get('http://a.example.com/orders/1'))).status, 201)
  assert.equal((await built.object(get('http://a.example.com/else'))).status, 202)
})

test('a binding without condition matches every request', async () => {
  await using built = await dispatchTo({ condition: false, handler: status(201) }, { handler: status(202) })
  assert.equal((await built.object(get())).status, 202)
})

test('a request without a matching binding gets 404 and is logged as an error, without its query', async () => {
  await using built = await dispatchTo({ condition: "${request.method == 'PUT'}", handler: status(200) })

  const response = await built.object(get('http://a.example.com/missing?token=secret'))

  assert.equal(response.status, 404)
  assert.equal(response.body.text(), 'Not Found')
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
  const [entry] = built.log.entries.filter(({ level }) => level === 'error')
  assert.equal(entry?.['path'], '/missing')
  assert.equal(entry?.['logger'], 'gateway+object')
  assert.ok(!built.log.lines.join('').includes('secret'))
})

test('a condition that fails counts as false, with a warning', async () => {
  await using built = await dispatchTo(
    { condition: '${request.entity.json.admin}', handler: status(201) },
    { handler: status(202) },
  )

  const response = await built.object(exchangeFor('POST', 'http://a.example.com/', { body: '{ not json' }))

  assert.equal(response.status, 202)
  assert.equal(built.log.entries.filter(({ level }) => level === 'warn').length, 1)
})

test('only the boolean true matches: null and text do not', async () => {
  await using built = await dispatchTo(
    { condition: '${attributes.nothing}', handler: status(201) },
    { condition: "${'true'}", handler: status(202) },
    { handler: status(203) },
  )
  assert.equal((await built.object(get())).status, 203)
})

test('a condition may read the body, which the handler gets too', async () => {
  await using built = await dispatchTo({
    condition: "${request.entity.json.kind == 'order'}",
    handler: { type: 'StaticResponseHandler', config: { status: 200, entity: '${request.entity.string}' } },
  })
  const body = '{"kind":"order"}'

  const response = await built.object(exchangeFor('POST', 'http://a.example.com/', { body }))

  assert.equal(response.body.text(), body)
})

const rebasings: readonly [string, string, string][] = [
  ['a server alone', 'https://app.example.com:8443', 'https://app.example.com:8443/a/b?x=1&y=%20'],
  ['a server that ends in a slash', 'https://app.example.com/', 'https://app.example.com/a/b?x=1&y=%20'],
  [
    'a path, which replaces that of the request',
    'http://app.example.com/in/box',
    'http://app.example.com/in/box?x=1&y=%20',
  ],
  ['a path with a slash at its end', 'http://app.example.com/in/', 'http://app.example.com/in/?x=1&y=%20'],
  ['an expression', 'http://${request.method}.example.com', 'http://get.example.com/a/b?x=1&y=%20'],
  [
    'an expression with a path',
    'http://app.example.com${request.uri.path}/c',
    'http://app.example.com/a/b/c?x=1&y=%20',
  ],
  ['nothing in it, which changes nothing and', '', 'http://gateway.example.com:8080/a/b?x=1&y=%20'],
  ['an address', 'http://[::1]:9000', 'http://[::1]:9000/a/b?x=1&y=%20'],
]

for (const [name, baseURI, expected] of rebasings) {
  test(`baseURI with ${name} keeps the query`, async () => {
    await using built = await dispatchTo({ handler: echo, baseURI })
    assert.equal((await built.object(get())).headers.get('echo-uri'), expected)
  })
}

test('a baseURI applies to its binding only, not to the exchange and later requests', async () => {
  await using built = await dispatchTo(
    { condition: "${find(request.uri.path, '^/one')}", handler: echo, baseURI: 'http://one.example.com/fixed' },
    { handler: echo },
  )
  const exchange = get('http://a.example.com/one')

  assert.equal((await built.object(exchange)).headers.get('echo-uri'), 'http://one.example.com/fixed')
  assert.equal(exchange.request.uri.toString(), 'http://a.example.com/one')
  assert.equal(exchange.originalUri.toString(), 'http://a.example.com/one')
  const later = await built.object(get('http://a.example.com/two'))
  assert.equal(later.headers.get('echo-uri'), 'http://a.example.com/two')
  const again = await built.object(get('http://a.example.com/one?q'))
  assert.equal(again.headers.get('echo-uri'), 'http://one.example.com/fixed?q')
})

const faults: readonly [string, string, RegExp][] = [
  ['is null', '${attributes.target}', /baseURI \$\{attributes\.target\}: expected a base URI, got null$/],
  ['is no URI', '${request.method}', /expected a base URI such as "https:\/\/app\.example\.com:8443", got "GET"/],
  ['climbs above the root', 'http://a.example.com${attributes.path}', /the path climbs above the root/],
  ['is not text', '${request.headers}', /expected a result of type string/],
]

for (const [name, baseURI, message] of faults) {
  test(`a base that ${name} when it is evaluated is a fault, and nothing is sent`, async () => {
    await using built = await dispatchTo({ handler: echo, baseURI })
    const exchange = get()
    exchange.attributes['path'] = '/a/%2e%2e/../admin'
    await assert.rejects(built.object(exchange), message)
  })
}

test('the path of a base is normalized', async () => {
  await using built = await dispatchTo({ handler: echo, baseURI: 'http://a.example.com/x//y/../${attributes.name}' })
  const exchange = get('http://gateway.example.com/')
  exchange.attributes['name'] = '%7Eme'
  assert.equal((await built.object(exchange)).headers.get('echo-uri'), 'http://a.example.com/x/~me')
})

const where = '/heap/0/config/bindings'
const refusals: readonly [string, JsonValue, string][] = [
  ['no bindings', {}, `${where}: expected an array of object; this field is required`],
  ['an empty list', { bindings: [] }, `${where}: expected at least one element`],
  [
    'a binding without handler',
    { bindings: [{ condition: true }] },
    `${where}/0/handler: expected a Handler reference; this field is required`,
  ],
  [
    'a condition that is plain text',
    { bindings: [{ condition: 'yes', handler: echo }] },
    `${where}/0/condition: expected true, false or an expression such as "\${find(request.uri.path, '^/home')}", got "yes"`,
  ],
  [
    'a base without server',
    { bindings: [{ handler: echo, baseURI: '/path' }] },
    `${where}/0/baseURI: expected a base URI such as "https://app.example.com:8443", got "/path"`,
  ],
  [
    'a base of another scheme',
    { bindings: [{ handler: echo, baseURI: 'ftp://a.example.com' }] },
    `${where}/0/baseURI: expected a base URI such as "https://app.example.com:8443", got "ftp://a.example.com"`,
  ],
  [
    'a base with a query',
    { bindings: [{ handler: echo, baseURI: 'http://a.example.com/?a=b' }] },
    `${where}/0/baseURI: expected a base URI without query and fragment, as the query stays, ` +
      'got "http://a.example.com/?a=b"',
  ],
  [
    'a base with a password, which the message does not show',
    { bindings: [{ handler: echo, baseURI: 'http://me:secret@a.example.com' }] },
    `${where}/0/baseURI: expected a base URI without user information; add it by a filter`,
  ],
  [
    'a base whose path hides a slash',
    { bindings: [{ handler: echo, baseURI: 'http://a.example.com/a%2fb' }] },
    `${where}/0/baseURI: the path holds an escaped slash`,
  ],
  [
    'a misspelt field',
    { bindings: [{ handler: echo, baseUri: 'http://a.example.com' }] },
    `${where}/0/baseUri: unknown field; did you mean "baseURI"?`,
  ],
]

for (const [name, config, message] of refusals) {
  test(`refuses ${name}`, async () => {
    await assert.rejects(build(DispatchHandler, config, { types: [EchoHandler] }), {
      code: 'GW_CONFIG_INVALID',
      message,
    })
  })
}

test('warns of unreachable bindings', async () => {
  await using built = await dispatchTo({ handler: status(200) }, { condition: true, handler: status(201) })
  assert.deepEqual(built.warnings, [
    '/heap/0: bindings/0 has no condition, so that the bindings after it are never reached',
  ])
})
