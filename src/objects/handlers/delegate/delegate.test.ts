import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Handler } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { EchoHandler, MarkDecorator, MarkFilter } from '#test/trail'
import { Chain } from '../chain/chain.ts'
import { Delegate } from './delegate.ts'

const HEAP: JsonValue[] = [
  { name: 'mark', type: 'MarkDecorator' },
  { name: 'echo', type: 'EchoHandler' },
  { name: 'filter', type: 'MarkFilter', config: { mark: 'filter' } },
]

const delegate = (target: JsonValue, decorations: Record<string, JsonValue> = {}): JsonValue => ({
  type: 'Delegate',
  config: { delegate: target },
  ...decorations,
})

const chainOf = (config: JsonValue, heap: JsonValue[] = []) =>
  build<Handler>(Chain, config, {
    types: [Delegate, EchoHandler, MarkDecorator, MarkFilter],
    heap: [...HEAP, ...heap],
  })

async function trail(handler: Handler): Promise<string | null> {
  const response = await handler(exchangeFor('GET', 'http://app.example.com/'))
  return response.headers.get('echo-trail')
}

test('can be used as a handler', async () => {
  await using built = await chainOf({ filters: [], handler: delegate('echo') })
  assert.equal(await trail(built.object), '')
})

test('can be used as a filter', async () => {
  await using built = await chainOf({ filters: [delegate('filter')], handler: 'echo' })
  assert.equal(await trail(built.object), 'filter')
})

test('decorates one use of an object and no other', async () => {
  const filters = ['filter', delegate('filter', { mark: 'decorated' }), 'filter']
  await using built = await chainOf({ filters, handler: delegate('echo', { mark: 'last' }) })
  assert.equal(await trail(built.object), 'filter decorated filter filter last')
})

test('decorations of the object itself apply too, inside those of the Delegate', async () => {
  const heap: JsonValue[] = [{ name: 'own', type: 'EchoHandler', mark: 'inside' }]
  await using built = await chainOf({ filters: [], handler: delegate('own', { mark: 'outside' }) }, heap)
  assert.equal(await trail(built.object), 'outside inside')
})

test('can be a named heap object, and refer to another Delegate', async () => {
  const heap: JsonValue[] = [
    { name: 'one', type: 'Delegate', config: { delegate: 'echo' }, mark: 'one' },
    { name: 'two', type: 'Delegate', config: { delegate: 'one' }, mark: 'two' },
  ]
  await using built = await chainOf({ filters: [], handler: 'two' }, heap)
  assert.equal(await trail(built.object), 'two one')
})

test('can declare its object inline', async () => {
  await using built = await chainOf({ filters: [], handler: delegate({ type: 'EchoHandler' }, { mark: 'here' }) })
  assert.equal(await trail(built.object), 'here')
})

const refusals: readonly [string, JsonValue, string][] = [
  [
    'a filter where a handler is expected',
    { filters: [], handler: delegate('filter') },
    '/heap/0/config/handler: expected a Handler, got a Filter',
  ],
  [
    'a handler where a filter is expected',
    { filters: [delegate('echo')], handler: 'echo' },
    '/heap/0/config/filters/0: expected a Filter, got a Handler',
  ],
  [
    'a missing delegate',
    { filters: [], handler: { type: 'Delegate' } },
    '/heap/0/config/handler/config/delegate: expected a Handler or Filter reference; this field is required',
  ],
  [
    'an unknown name',
    { filters: [], handler: delegate('echoo') },
    '/heap/0/config/handler/config/delegate: no Handler or Filter named "echoo" in this heap or its parents; ' +
      'did you mean "echo"?',
  ],
  [
    'an object of another kind',
    { filters: [], handler: delegate('mark') },
    '/heap/0/config/handler/config/delegate: expected a Handler or Filter, got a Decorator',
  ],
  [
    'a decoration that no decorator bears the name of',
    { filters: [], handler: delegate('echo', { marc: 'x' }) },
    '/heap/0/config/handler/marc: unknown field, and no decorator of that name; did you mean "mark"?',
  ],
]

for (const [name, config, message] of refusals) {
  test(`refuses ${name}`, async () => {
    await assert.rejects(chainOf(config), { code: 'GW_CONFIG_INVALID', message })
  })
}

test('refuses Delegates that refer to each other', async () => {
  const heap: JsonValue[] = [
    { name: 'one', type: 'Delegate', config: { delegate: 'two' } },
    { name: 'two', type: 'Delegate', config: { delegate: 'one' } },
  ]
  await assert.rejects(chainOf({ filters: [], handler: 'echo' }, heap), {
    message: /these objects need each other, so none can be built: one -> two -> one/,
  })
})
