// Every request gets a response of the protocol: never a fault, and every error has a message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { exchangeFor } from '#test/exchange'
import { memoryCollection } from '#test/memory-collection'
import type { Collection } from './endpoint.ts'
import { commonRest } from './endpoint-handler.ts'

const description = {
  id: 'test:things',
  title: 'Things',
  description: 'Things of a test.',
  version: '1.0',
  schema: {},
  media: { photo: ['image/png', 'text/plain'] },
}

const collection: Collection = {
  ...memoryCollection(description, { limit: 20, isSet: ([name]) => name === 'set' }),
  actions: { echo: { description: 'Gives its body back.', run: async (_, { body }) => body } },
  queries: { stored: { description: 'Never asked here.', parameters: [{ name: 'who', description: 'Who.' }] } },
}

const names = [
  '_action',
  '_api',
  '_crestapi',
  '_fields',
  '_mimeType',
  '_pageSize',
  '_pagedResultsCookie',
  '_pagedResultsOffset',
  '_prettyPrint',
  '_queryExpression',
  '_queryFilter',
  '_queryId',
  '_sortKeys',
  '_totalPagedResultsPolicy',
  '_countOnly',
  '_FIELDS',
  '__proto__',
  'who',
  '',
]
const values = [
  'true',
  'false',
  '',
  '0',
  '1',
  '-1',
  '1001',
  'create',
  'echo',
  'constructor',
  'stored',
  'EXACT',
  'text/plain',
  'photo',
  '*',
  '/',
  'a/b,c',
  '-a,%2Bb',
  '%00',
  '%zz',
  '%ff',
  '%22',
  'a%20eq%201',
  'set%20pr%20and%20!(a%20co%20%22x%22)',
  '((((',
  '__proto__/x',
  'l/0',
  '~',
]
const headers = {
  'If-Match': ['*', '"x"', '', '"', 'W/"x"', '"a","b"'],
  'If-None-Match': ['*', '"x"', '', '*,*'],
  'If-Modified-Since': ['x'],
  Accept: ['application/json', 'text/html', '', '*/*;q=0', ';;,,'],
  'Accept-API-Version': ['protocol=2.2', 'protocol=1.0', 'resource=2.0', 'x', ''],
  'Content-Type': ['application/json', 'application/json; charset=utf-8', 'text/plain', '', ';'],
  'Content-Encoding': ['identity', 'gzip'],
  'X-HTTP-Method-Override': ['DELETE'],
}

const header = fc
  .constantFrom(...Object.entries(headers))
  .chain(([name, texts]) => fc.tuple(fc.constant(name), fc.constantFrom(...texts)))
const parameter = fc
  .tuple(fc.constantFrom(...names), fc.constantFrom(...values))
  .map(([name, value]) => `${name}=${value}`)
const operation = fc.record(
  {
    operation: fc.constantFrom('add', 'copy', 'increment', 'move', 'remove', 'replace', 'transform', 'x'),
    field: fc.constantFrom('', '/', '/a', '/a/b', '/l/0', '/l/-', '/set', '/set/0', '/_id', '/__proto__/x', '~'),
    value: fc.jsonValue(),
    from: fc.constantFrom('/a', '/l', '/set/0', '/__proto__', ''),
  },
  { requiredKeys: ['operation', 'field'] },
)
const body = fc.oneof(
  fc.constantFrom('', '{', '[]', 'null', '5', '{"a":1,"a":2}', '{"_id":5}', '{"__proto__":{"x":1}}', '\u0000', '[[[[['),
  fc
    .dictionary(fc.constantFrom('_id', '_rev', 'a', 'l', 'set', 'photo', '__proto__'), fc.jsonValue())
    .map((json) => JSON.stringify(json)),
  fc.array(operation, { maxLength: 5 }).map((json) => JSON.stringify(json)),
)
/** Mostly few errors per request, so that requests get past the first checks; errors of all kinds are combined. */
const few = <T>(plain: T, wild: fc.Arbitrary<T>) => fc.oneof({ weight: 3, arbitrary: fc.constant(plain) }, wild)
const request = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'),
  path: few('/a', fc.constantFrom('', '/', '/b', '/a/b', '/%00', '/%ff', '/__proto__', `/${'x'.repeat(2000)}`)),
  query: few([], fc.array(parameter, { minLength: 1, maxLength: 4 })),
  headers: few(
    {},
    fc.array(header, { minLength: 1, maxLength: 2 }).map((pairs) => Object.fromEntries(pairs)),
  ),
  body,
})

test('no request causes a fault, and each error has a message', async () => {
  const handler = commonRest(collection, { base: '/things' })
  const statuses = new Set<number>()
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, headers: sent, body: text }) => {
      const url = `http://localhost/things${path}${query.length === 0 ? '' : `?${query.join('&')}`}`
      const withType = { 'Content-Type': 'application/json', ...sent }
      const response = await handler(exchangeFor(method, url, { headers: withType, body: text }))
      statuses.add(response.status)
      assert.equal(response.cause, null, `${response.cause}`)
      if (response.status < 400) return
      const json = JSON.parse(Buffer.from(await response.body.read(1e6)).toString('utf8')) as Record<string, unknown>
      assert.equal(json['code'], response.status)
      assert.ok(typeof json['reason'] === 'string' && String(json['message']).length > 8, JSON.stringify(json))
      assert.equal(response.headers.get('cache-control'), 'no-store')
    }),
    { numRuns: 2_000 },
  )
  for (const status of [200, 201, 400, 404, 405, 406, 409, 412, 415, 501])
    assert.ok(statuses.has(status), `no ${status}`)
  assert.equal(({} as Record<string, unknown>)['x'], undefined)
})
