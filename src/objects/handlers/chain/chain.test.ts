import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Handler } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { EchoHandler, MarkFilter } from '#test/trail'
import { StaticResponseHandler } from '../static-response/static-response-handler.ts'
import { Chain } from './chain.ts'

const mark = (text: string): JsonValue => ({ type: 'MarkFilter', config: { mark: text } })

const chainOf = (config: JsonValue, heap: JsonValue[] = []) =>
  build<Handler>(Chain, config, { types: [EchoHandler, MarkFilter, StaticResponseHandler], heap })

test('a request passes the filters in order, the response in reverse', async () => {
  await using built = await chainOf({ filters: [mark('a'), mark('b'), mark('c')], handler: { type: 'EchoHandler' } })

  const response = await built.object(exchangeFor('GET', 'http://app.example.com/'))

  assert.equal(response.headers.get('echo-trail'), 'a b c')
  assert.deepEqual(response.headers.all('trail-back'), ['c', 'b', 'a'])
})

test('without filters only the handler runs', async () => {
  await using built = await chainOf({
    filters: [],
    handler: { type: 'StaticResponseHandler', config: { status: 204 } },
  })
  assert.equal((await built.object(exchangeFor('GET', 'http://app.example.com/'))).status, 204)
})

test('filters and handler may be references by name, and one filter may occur twice', async () => {
  const heap: JsonValue[] = [
    { name: 'first', type: 'MarkFilter', config: { mark: 'first' } },
    { name: 'echo', type: 'EchoHandler' },
  ]
  await using built = await chainOf({ filters: ['first', mark('own'), 'first'], handler: 'echo' }, heap)

  const response = await built.object(exchangeFor('GET', 'http://app.example.com/'))

  assert.equal(response.headers.get('echo-trail'), 'first own first')
})

test('a chain is a handler and can be the handler of another chain', async () => {
  const inner = { type: 'Chain', config: { filters: [mark('inner')], handler: { type: 'EchoHandler' } } }
  await using built = await chainOf({ filters: [mark('outer')], handler: inner })

  const response = await built.object(exchangeFor('GET', 'http://app.example.com/'))

  assert.equal(response.headers.get('echo-trail'), 'outer inner')
})

const refusals: readonly [string, JsonValue, string][] = [
  [
    'no filters and no handler',
    {},
    '/heap/0/config/filters: expected an array of Filter reference; this field is required\n' +
      '/heap/0/config/handler: expected a Handler reference; this field is required',
  ],
  ['filters that are no list', { filters: 7, handler: 'echo' }, '/heap/0/config/filters: expected an array, got 7'],
  [
    'a handler in the place of a filter',
    { filters: [{ type: 'EchoHandler' }], handler: { type: 'EchoHandler' } },
    '/heap/0/config/filters/0: expected a Filter, got a Handler (type EchoHandler)',
  ],
  [
    'an unknown name',
    { filters: ['frist'], handler: { type: 'EchoHandler' } },
    '/heap/0/config/filters/0: no Filter named "frist" in this heap or its parents; did you mean "first"?',
  ],
  [
    'a chain that contains itself',
    { filters: [], handler: 'object' },
    '/heap/0/config/handler: these objects need each other, so none can be built: object -> object',
  ],
  [
    'a misspelt field',
    { filter: [], filters: [], handler: { type: 'EchoHandler' } },
    '/heap/0/config/filter: unknown field; did you mean "filters"?',
  ],
]

for (const [name, config, message] of refusals) {
  test(`refuses ${name}`, async () => {
    const heap: JsonValue[] = [
      { name: 'first', type: 'MarkFilter', config: { mark: 'first' } },
      { name: 'echo', type: 'EchoHandler' },
    ]
    await assert.rejects(chainOf(config, heap), { code: 'GW_CONFIG_INVALID', message })
  })
}
