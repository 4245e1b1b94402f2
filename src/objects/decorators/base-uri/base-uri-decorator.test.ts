import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FilterKind, HandlerKind } from '#contracts'
import { type Exchange, type Filter, type Handler, respond } from '#http'
import type { JsonValue } from '#json'
import { defineType } from '#schema'
import { build } from '#test/build'
import { textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { ManualExecutor } from '#test/manual-executor'
import { httpUpstream } from '#test/upstream'
import { ReverseProxyHandler } from '../../handlers/reverse-proxy/reverse-proxy-handler.ts'
import { BaseUriDecorator } from './base-uri-decorator.ts'

/** Responds with the URI of the request. */
const EchoUri = defineType({
  name: 'EchoUri',
  kind: HandlerKind,
  summary: 'Answers with the URI it got.',
  config: {},
  create: () => echo,
})

const EchoUriFilter = defineType({
  name: 'EchoUriFilter',
  kind: FilterKind,
  summary: 'Tells the URI it got and passes on.',
  config: {},
  create: (): Filter => async (exchange, next) => {
    const response = await next(exchange)
    response.headers.add('Seen', exchange.request.uri.toString())
    return response
  },
})

async function echo(exchange: Exchange) {
  const { uri, headers } = exchange.request
  return respond(200, { uri: uri.toString(), host: headers.get('host') ?? '', original: String(exchange.originalUri) })
}

const decorated = (baseURI: JsonValue, properties: JsonValue = null) =>
  build<Handler>(
    EchoUri,
    {},
    {
      types: [BaseUriDecorator],
      heap: [{ name: 'baseURI', type: 'BaseUriDecorator' }],
      decorations: { baseURI },
      properties,
    },
  )

const request = (headers: Record<string, string> = {}) =>
  exchangeFor('GET', 'http://gateway.example.com:8080/a%20b?x=1', { headers })

test('replaces scheme, host and port; path, query, Host and the original URI are unchanged', async () => {
  await using built = await decorated('https://app.example.com:8443/ignored?also#this')

  const { headers } = await built.object(request())

  assert.equal(headers.get('uri'), 'https://app.example.com:8443/a%20b?x=1')
  assert.equal(headers.get('host'), 'gateway.example.com:8080')
  assert.equal(headers.get('original'), 'http://gateway.example.com:8080/a%20b?x=1')
})

test('a base without a port removes the port of the request', async () => {
  await using built = await decorated('http://app.example.com')
  assert.equal((await built.object(request())).headers.get('uri'), 'http://app.example.com/a%20b?x=1')
})

test('the original request is not changed', async () => {
  await using built = await decorated('https://app.example.com')
  const exchange = request()

  await built.object(exchange)

  assert.equal(exchange.request.uri.toString(), 'http://gateway.example.com:8080/a%20b?x=1')
})

test('an expression is evaluated for each request', async () => {
  await using built = await decorated('${request.headers["X-App"][0]}')
  for (const app of ['http://one.example.com', 'http://two.example.com:81', 'http://one.example.com']) {
    assert.equal((await built.object(request({ 'X-App': app }))).headers.get('uri'), `${app}/a%20b?x=1`)
  }
})

test('a property can be the base URI', async () => {
  await using built = await decorated('${app}', { app: 'https://app.example.com' })
  assert.equal((await built.object(request())).headers.get('uri'), 'https://app.example.com/a%20b?x=1')
})

test('an empty text, literal or from an expression, and false have no effect', async () => {
  for (const baseURI of ['', "${''}", false, null]) {
    await using built = await decorated(baseURI)
    assert.equal(
      (await built.object(request())).headers.get('uri'),
      'http://gateway.example.com:8080/a%20b?x=1',
      `for ${JSON.stringify(baseURI)}`,
    )
  }
})

test('an empty text does not change the request', async () => {
  await using built = await decorated('')
  const exchange = request()
  const before = exchange.request.uri.toString()
  await built.object(exchange)
  assert.equal(exchange.request.uri.toString(), before)
})

test('null and an invalid base URI are faults', async () => {
  await using built = await decorated('${request.headers["X-App"][0]}')
  await assert.rejects(built.object(request()), /expected a base URI such as .*, got null$/)
  for (const bad of [
    'app.example.com',
    '/path',
    'ftp://app.example.com',
    'http://',
    'http://u:p@app',
    'http://127.1',
    '${x}',
  ]) {
    await assert.rejects(built.object(request({ 'X-App': bad })), /expected a base URI such as/, bad)
  }
})

test('text of a request is never evaluated again', async () => {
  await using built = await decorated('http://${request.headers["X-App"][0]}')
  await assert.rejects(built.object(request({ 'X-App': '${env.HOME}' })), /expected a base URI/)
})

test('a filter and all later filters see the new server', async () => {
  await using built = await build<Filter>(
    EchoUriFilter,
    {},
    {
      types: [BaseUriDecorator],
      heap: [{ name: 'baseURI', type: 'BaseUriDecorator' }],
      decorations: { baseURI: 'http://app.example.com' },
    },
  )

  const { headers } = await built.object(request(), echo)

  assert.equal(headers.get('seen'), 'http://app.example.com/a%20b?x=1')
  assert.equal(headers.get('uri'), 'http://app.example.com/a%20b?x=1')
})

for (const [written, meant] of [
  ['ws://app.example.com', 'http://app.example.com'],
  ['wss://app.example.com:8443', 'https://app.example.com:8443'],
]) {
  test(`parses ${written} as ${meant}`, async () => {
    await using built = await decorated(written!)
    const { headers } = await built.object(request())
    assert.equal(headers.get('uri'), `${meant}/a%20b?x=1`)
  })
}

const refusals: readonly [string, JsonValue, string][] = [
  [
    'a bare host',
    'app.example.com',
    'expected a base URI such as "https://app.example.com:8443", got "app.example.com"',
  ],
  ['another scheme', 'ftp://app', 'expected a base URI such as "https://app.example.com:8443", got "ftp://app"'],
  [
    'a bad port',
    'http://app:99999',
    'expected a base URI such as "https://app.example.com:8443", got "http://app:99999"',
  ],
  [
    'user information',
    'http://u:p@app',
    'expected a base URI such as "https://app.example.com:8443", but the host holds user information',
  ],
  ['a number', 5, 'expected an expression (string) such as "${...}", got 5'],
  ['true', true, 'expected an expression (string) such as "${...}", got true'],
]

for (const [name, baseURI, message] of refusals) {
  test(`refuses ${name}`, async () => {
    await assert.rejects(decorated(baseURI), { code: 'GW_CONFIG_INVALID', message: `/heap/0/baseURI: ${message}` })
  })
}

test('refuses an invalid literal with an escape', async () => {
  await assert.rejects(decorated('http://\\${x}'), { message: /^\/heap\/0\/baseURI: expected a base URI/ })
})

test('a list spreads requests over servers, and a retry goes to another one', async () => {
  const named = (name: string) => httpUpstream((_, response) => response.end(name))
  await using a = await named('a')
  await using b = await named('b')
  const gone = await (async () => {
    await using closed = await named('gone')
    return closed.url
  })()
  const executor = new ManualExecutor()
  await using built = await build<Handler>(
    ReverseProxyHandler,
    { retries: { count: 2, delay: '1 minute' } },
    {
      types: [BaseUriDecorator, ...executor.buildOptions.types],
      heap: [{ name: 'baseURI', type: 'BaseUriDecorator' }, ...executor.buildOptions.heap],
      decorations: { baseURI: [a.url, gone, b.url] },
    },
  )
  const names = await Promise.all(Array.from({ length: 6 }, async () => textOf(await built.object(request()))))
  assert.deepEqual(new Set(names), new Set(['a', 'b']))
})

for (const [list, message] of [
  [[], /expected at least one URL/],
  [['http://a', 'http://a:80'], /baseURI\/1: expected another server than entry 1/],
  [['http://a/app', 'http://b'], /baseURI\/0: expected a URL without path/],
  [['http://a', 'https://b'], /baseURI\/1: expected http as the first server has/],
] as const) {
  test(`refuses the list ${JSON.stringify(list)}`, async () => {
    await assert.rejects(decorated([...list]), message)
  })
}
