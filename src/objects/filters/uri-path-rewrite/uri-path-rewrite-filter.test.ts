import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Exchange, type Filter, type Handler, normalizePath, respond } from '#http'
import type { JsonValue } from '#json'
import { type BuildOptions, build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { UriPathRewriteFilter } from './uri-path-rewrite-filter.ts'

const filterFor = (mappings: JsonValue, more: Record<string, JsonValue> = {}, surroundings: BuildOptions = {}) =>
  build<Filter>(
    UriPathRewriteFilter,
    { mappings, ...more },
    {
      types: [StaticResponseHandler],
      ...surroundings,
    },
  )

/** Responds with the path of the request and the given headers. */
const application =
  (headers: Record<string, string | string[]> = {}): Handler =>
  async ({ request }) =>
    respond(200, { ...headers, Target: request.uri.requestTarget })

function requestFor(path: string): Exchange {
  const exchange = exchangeFor('GET', 'http://gateway.example.com/')
  exchange.request.uri.rawPath = path
  return exchange
}

async function sentFor(mappings: JsonValue, path: string): Promise<string | null> {
  await using built = await filterFor(mappings)
  return (await built.object(requestFor(path), application())).headers.get('target')
}

const SHOP = { '/shop': '/app/store', '/shop/help': '/support', '/old/': '/', '/caf\u00e9': '/coffee', '/a b': '/ab' }

const sent: readonly [string, string][] = [
  ['/shop', '/app/store'],
  ['/shop/', '/app/store/'],
  ['/shop/cart/1', '/app/store/cart/1'],
  ['/shop/help', '/support'],
  ['/shop/help/me', '/support/me'],
  ['/shop/helper', '/app/store/helper'],
  ['/shopping', '/shopping'],
  ['/', '/'],
  ['', '/'],
  ['/other/shop', '/other/shop'],
  ['/old', '/'],
  ['/old/', '/'],
  ['/old/page', '/page'],
  ['/caf%C3%A9/x', '/coffee/x'],
  ['/caf%c3%a9', '/coffee'],
  ['/a%20b', '/ab'],
  ['/s%68op/cart', '/app/store/cart'],
  ['/x/../shop/./cart', '/app/store/cart'],
  ['//shop//cart', '/app/store/cart'],
  ['/shop/%2Fcart', '500'],
]

for (const [path, expected] of sent) {
  test(`${path || 'an empty path'} is sent as ${expected}`, async () => {
    await using built = await filterFor(SHOP)
    const response = await built.object(requestFor(path), application())
    assert.equal(response.status === 200 ? response.headers.get('target') : String(response.status), expected)
  })
}

test('the query is unchanged, and so is the original request', async () => {
  await using built = await filterFor(SHOP)
  const exchange = exchangeFor('GET', 'http://gateway.example.com/shop/cart?to=/shop&x=%2F')

  const response = await built.object(exchange, application())

  assert.equal(response.headers.get('target'), '/app/store/cart?to=/shop&x=%2F')
  assert.equal(exchange.request.uri.requestTarget, '/shop/cart?to=/shop&x=%2F')
})

test('"/" matches every path without a longer match', async () => {
  assert.equal(await sentFor({ '/': '/app', '/app/own': '/own' }, '/x/y'), '/app/x/y')
  assert.equal(await sentFor({ '/': '/app', '/app/own': '/own' }, '/app/own/y'), '/own/y')
  assert.equal(await sentFor({ '/': '/app' }, '/'), '/app/')
})

test('OPTIONS * has no path to rewrite', async () => {
  assert.equal(await sentFor({ '/': '/app' }, '*'), '*')
})

test('every path that is sent is in normal form', async () => {
  await using built = await filterFor({ '/a': '/', '/a/b': '/x/../y//z', '/': '/base/' })
  const piece = fc.constantFrom('/', 'a', 'b', '.', '..', '%2e', '%41', '%C3%A9', ';x', '~', '%3B')
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      const response = await built.object(requestFor(`/${pieces.join('')}`), application())
      if (response.status === 500) return
      const target = response.headers.get('target') as string
      assert.deepEqual(normalizePath(target), { text: target })
    }),
    { numRuns: 300 },
  )
})

test('a path without a normal form goes to the failure handler', async () => {
  const failureHandler = { type: 'StaticResponseHandler', config: { status: 404 } }
  await using custom = await filterFor(SHOP, { failureHandler })
  await using usual = await filterFor(SHOP)
  for (const path of ['/..', '/shop/%2e%2e%2f', '/shop\\x', '/shop/%00']) {
    const exchange = exchangeFor('GET', 'http://gateway.example.com/')
    Object.defineProperty(exchange.request.uri, 'rawPath', { value: path })
    assert.equal((await custom.object(exchange, application())).status, 404, path)
    assert.equal((await usual.object(exchange, application())).status, 500, path)
  }
})

async function answered(mappings: JsonValue, path: string, location: string, header = 'Location'): Promise<string> {
  await using built = await filterFor(mappings)
  const exchange = exchangeFor('GET', `https://www.example.com${path}`)
  exchange.request.uri.scheme = 'http'
  exchange.request.uri.host = 'app.internal'
  return (await built.object(exchange, application({ [header]: location }))).headers.get(header) as string
}

const putBack: readonly [string, string][] = [
  ['/app/store/login?x=/app/store#top', '/shop/login?x=/app/store#top'],
  ['/app/store', '/shop'],
  ['/app/storefront', '/app/storefront'],
  ['/support/me', '/shop/help/me'],
  ['http://app.internal/app/store/a', 'http://app.internal/shop/a'],
  ['http://www.example.com/app/store/a', 'http://www.example.com/shop/a'],
  ['https://www.example.com/app/store/a', 'https://www.example.com/shop/a'],
  ['//www.example.com/app/store/a', '//www.example.com/shop/a'],
  ['https://elsewhere.example/app/store/a', 'https://elsewhere.example/app/store/a'],
  ['//elsewhere.example/app/store/a', '//elsewhere.example/app/store/a'],
  ['next', '/shop/cart/next'],
  ['../list', '/shop/list'],
  ['../../other', '../../other'],
  ['?page=2', '?page=2'],
  ['/app/store/a%2Fb', '/shop/a%2Fb'],
  ['/app/%73tore/a', '/shop/a'],
  ['mailto:a@b', 'mailto:a@b'],
]

for (const [location, expected] of putBack) {
  test(`Location ${location} is rewritten to ${expected}`, async () => {
    const mappings = { '/shop': '/app/store', '/shop/help': '/support' }
    assert.equal(await answered(mappings, '/shop/cart/1', location), expected)
    assert.equal(await answered(mappings, '/shop/cart/1', location, 'Content-Location'), expected)
  })
}

test('of two paths with the same replacement, the one that the client used is restored', async () => {
  const mappings = { '/a': '/app', '/b': '/app' }
  assert.equal(await answered(mappings, '/a/1', '/app/x'), '/a/x')
  assert.equal(await answered(mappings, '/b/1', '/app/x'), '/b/x')
  assert.equal(await answered(mappings, '/c/1', '/app/x'), '/a/x')
})

test('a mapping to the root prepends its path to every reference', async () => {
  assert.equal(await answered({ '/app': '/' }, '/app/x', '/login'), '/app/login')
  assert.equal(await answered({ '/app': '/' }, '/app/x', '/'), '/app/')
})

test('keys and values may be configuration expressions', async () => {
  const properties = { tenant: 'acme', backend: '/v2' }
  await using built = await filterFor({ '/${tenant}': '${backend}/api' }, {}, { properties })
  const response = await built.object(requestFor('/acme/users'), application())
  assert.equal(response.headers.get('target'), '/v2/api/users')
})

test('text of a request is not evaluated', async () => {
  assert.equal(await sentFor({ '/a': '/b' }, '/a/$%7Benv.HOME%7D'), '/b/$%7Benv.HOME%7D')
})

const refusals: readonly [string, JsonValue, string][] = [
  ['no mappings', undefined as unknown as JsonValue, ': expected a map of paths to paths; this field is required'],
  ['a list', [], ': expected an object: path to path'],
  ['a path without a slash', { app: '/b' }, '/app: expected a path such as "/app", got "app"'],
  ['a target that is a URL', { '/a': 'http://b/' }, '/~1a: expected a path such as "/app", got "http://b/"'],
  ['a query', { '/a': '/b?c' }, '/~1a: expected a path such as "/app", got "/b?c"'],
  ['a number', { '/a': 1 }, '/~1a: expected a path such as "/app", got 1'],
  ['a null', { '/a': null }, '/~1a: expected a path such as "/app", got null'],
  ['a climb', { '/a': '/../b' }, '/~1a: expected a path such as "/app", got "/../b": the path climbs above the root'],
  [
    'an escaped slash',
    { '/a': '/b%2Fc' },
    '/~1a: expected a path such as "/app", got "/b%2Fc": the path holds an escaped slash',
  ],
  [
    'half an escape',
    { '/a': '/b%2' },
    '/~1a: expected a path such as "/app", got "/b%2": uri path: "%" without two hexadecimal digits in "/b%2"',
  ],
  ['one path twice', { '/a': '/b', '/a/': '/c' }, '/~1a~1: the path "/a" is already mapped'],
  [
    'an expression that is null',
    { '${none}': '/b' },
    '/${none}: ${none} gave a bad value: expected a path such as "/app"; this field is required; nothing has the name "none"',
  ],
  [
    'an expression that is no path',
    { '/a': '${1 + 1}' },
    '/~1a: ${1 + 1} gave a bad value: expected a path such as "/app", got 2',
  ],
]

for (const [name, mappings, message] of refusals) {
  test(`refuses ${name}`, async () => {
    const config = mappings === undefined ? {} : { mappings }
    await assert.rejects(build(UriPathRewriteFilter, config), {
      code: 'GW_CONFIG_INVALID',
      message: `/heap/0/config/mappings${message}`,
    })
  })
}
