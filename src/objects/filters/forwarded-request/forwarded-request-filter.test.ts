import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile } from '#expression'
import { type Exchange, exchangeScope, type Filter, type Handler, RouterContext, respond } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { ForwardedRequestFilter } from './forwarded-request-filter.ts'

const ORIGINAL = compile('${contexts.router.originalUri}')

/** Returns the original URI of the exchange and of expressions, and the URI of the request. */
const echo: Handler = async (exchange) =>
  respond(200, {
    original: exchange.originalUri.toString(),
    context: String(ORIGINAL.evaluate(exchangeScope(exchange, null, { lookup: () => undefined }))),
    request: exchange.request.uri.toString(),
  })

const request = (headers: Record<string, string> = {}): Exchange =>
  exchangeFor('GET', 'http://10.0.0.7:8080/a?b=c', { headers })

async function originalFor(config: JsonValue, exchange = request()): Promise<string | null> {
  await using built = await build<Filter>(ForwardedRequestFilter, config)
  const { headers } = await built.object(exchange, echo)
  assert.equal(headers.get('context'), headers.get('original'))
  assert.equal(headers.get('request'), 'http://10.0.0.7:8080/a?b=c')
  return headers.get('original')
}

const results: readonly [string, JsonValue, string][] = [
  ['all parts', { scheme: 'https', host: 'www.example.com', port: 8443 }, 'https://www.example.com:8443/a?b=c'],
  ['the scheme alone', { scheme: 'HTTPS' }, 'https://10.0.0.7:8080/a?b=c'],
  ['the host alone', { host: 'WWW.example.com' }, 'http://www.example.com:8080/a?b=c'],
  ['an address', { host: '[::1]' }, 'http://[::1]:8080/a?b=c'],
  ['the port alone', { port: '81' }, 'http://10.0.0.7:81/a?b=c'],
  [
    'the usual port of the scheme',
    { scheme: 'https', host: 'www.example.com', port: 443 },
    'https://www.example.com/a?b=c',
  ],
  [
    'expressions',
    { scheme: 'http${"s"}', host: '${"www"}.example.com', port: '${440 + 3}' },
    'https://www.example.com/a?b=c',
  ],
  ['nothing but null', { scheme: '${null}', host: '${none}', port: '${null}' }, 'http://10.0.0.7:8080/a?b=c'],
]

for (const [name, config, expected] of results) {
  test(`${name}: ${expected}`, async () => {
    assert.equal(await originalFor(config), expected)
  })
}

test('headers of a proxy can be used; without them the URI is unchanged', async () => {
  const config = { host: '${request.headers["X-Forwarded-Host"][0]}' }
  assert.equal(
    await originalFor(config, request({ 'X-Forwarded-Host': 'shop.example.com' })),
    'http://shop.example.com:8080/a?b=c',
  )
  assert.equal(await originalFor(config), 'http://10.0.0.7:8080/a?b=c')
})

test('earlier filters see the URI unchanged', async () => {
  const exchange = request()
  await originalFor({ host: 'www.example.com' }, exchange)
  assert.equal(exchange.originalUri.toString(), 'http://10.0.0.7:8080/a?b=c')
})

test('the context of an outer router is corrected too', async () => {
  const outer = request()
  const exchange = outer.with(RouterContext, {
    baseUri: '',
    matchedUri: 'a',
    remainingUri: '',
    originalUri: outer.originalUri,
    uriTemplateVariables: {},
  })
  assert.equal(await originalFor({ host: 'www.example.com' }, exchange), 'http://www.example.com:8080/a?b=c')
})

const faults: readonly [string, string][] = [
  ['scheme', 'ftp'],
  ['scheme', 'https:'],
  ['host', 'a b'],
  ['host', 'www.example.com:80'],
  ['host', 'user@www.example.com'],
  ['host', 'www.example.com/path'],
  ['host', ''],
  ['port', '0'],
  ['port', '65536'],
  ['port', '80 '],
  ['port', '-1'],
]

for (const [field, value] of faults) {
  test(`a ${field} ${JSON.stringify(value)} from a request is a fault`, async () => {
    await using built = await build<Filter>(ForwardedRequestFilter, { [field]: '${request.headers["X-Value"][0]}' })
    const outcome = built.object(request({ 'X-Value': value }), echo)
    await assert.rejects(outcome, /^EvaluationError: (scheme|host|port): .* gave a bad value: expected/)
  })
}

test('a result of another type is a fault', async () => {
  await using built = await build<Filter>(ForwardedRequestFilter, { host: '${request.headers["X-Value"]}' })
  await assert.rejects(built.object(request({ 'X-Value': 'a' }), echo), /expected a result of type string/)
})

const refusals: readonly [string, JsonValue, string][] = [
  ['nothing to set', {}, ': give at least one of scheme, host, port'],
  ['another scheme', { scheme: 'ws' }, '/scheme: expected http or https, got "ws"'],
  ['a host with a port', { host: 'a:80' }, '/host: expected a host name or address without a port, got "a:80"'],
  ['a port of 0', { port: 0 }, '/port: expected an integer from 1 to 65535, got 0'],
  ['a port that is no number', { port: 'http' }, '/port: expected a port from 1 to 65535, got "http"'],
  ['a host that is no text', { host: 1 }, '/host: expected an expression (string) such as "${...}", got 1'],
]

for (const [name, config, message] of refusals) {
  test(`refuses ${name}`, async () => {
    await assert.rejects(build(ForwardedRequestFilter, config), {
      code: 'GW_CONFIG_INVALID',
      message: `/heap/0/config${message}`,
    })
  })
}
