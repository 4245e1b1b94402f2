import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { structureDiff } from './structure-diff.ts'

const filter = (name: string, more: object = {}) => ({
  name,
  type: 'HeaderFilter',
  config: { messageType: 'REQUEST', ...more },
})
const answer = (status: number) => ({ type: 'StaticResponseHandler', config: { status } })
const chain = (filters: readonly unknown[], handler: unknown) => ({
  handler: { type: 'Chain', config: { filters, handler } },
})

function changesOf(before: unknown, after: unknown): string[] {
  const changes = structureDiff(JSON.stringify(before), JSON.stringify(after))
  return (changes ?? assert.fail('no structure')).map(({ kind, pointer, object, from, before: old, after: now }) =>
    [
      kind,
      object ?? 'route',
      from === undefined ? pointer : `${from} to ${pointer}`,
      ...(old === undefined ? [] : [`was ${JSON.stringify(old)}`]),
      ...(now === undefined ? [] : [`is ${JSON.stringify(now)}`]),
    ].join(' '),
  )
}

test('fields that were added, removed and changed are those of their object', () => {
  const before = { condition: 'a', baseURI: 'http://x', ...chain([filter('A', { remove: ['x'] })], answer(200)) }
  const after = { condition: 'b', timer: true, ...chain([filter('A', { remove: ['x', 'y'] })], answer(404)) }
  assert.deepEqual(changesOf(before, after), [
    'removed route /baseURI was "http://x"',
    'changed route /condition was "a" is "b"',
    'changed HeaderFilter "A" /handler/config/filters/0/config/remove was ["x"] is ["x","y"]',
    'changed StaticResponseHandler /handler/config/handler/config/status was 200 is 404',
    'added route /timer is true',
  ])
})

test('objects of a list are the same by name: added, removed, moved, and changed where they moved to', () => {
  const before = chain([filter('A'), filter('B'), filter('C'), filter('X'), 'Shared'], 'Upstream')
  const after = chain([filter('C', { remove: ['x'] }), filter('A'), filter('B'), filter('D'), 'Shared'], 'Upstream')
  assert.deepEqual(changesOf(before, after), [
    'moved HeaderFilter "C" /handler/config/filters/2 to /handler/config/filters/0',
    'added HeaderFilter "C" /handler/config/filters/0/config/remove is ["x"]',
    'removed HeaderFilter "X" /handler/config/filters/3',
    'added HeaderFilter "D" /handler/config/filters/3',
  ])
})

test('an object that a new one is put around has moved, and so has one that is unwrapped or goes to the heap', () => {
  const wrapped = chain([filter('A')], answer(200))
  assert.deepEqual(changesOf({ handler: answer(200) }, wrapped), [
    'added Chain /handler',
    'moved StaticResponseHandler /handler to /handler/config/handler',
  ])
  assert.deepEqual(changesOf(wrapped, { handler: answer(200) }), [
    'moved StaticResponseHandler /handler/config/handler to /handler',
    'removed Chain /handler',
  ])
  const toHeap = { heap: [filter('A', { remove: ['x'] })], ...chain(['A'], 'U') }
  assert.deepEqual(changesOf(chain([filter('A')], 'U'), toHeap), [
    'added Chain /handler/config/filters/0 is "A"',
    `added route /heap is ${JSON.stringify(toHeap.heap)}`,
    'moved HeaderFilter "A" /handler/config/filters/0 to /heap/0',
    'added HeaderFilter "A" /heap/0/config/remove is ["x"]',
  ])
})

test('two routes have a difference exactly where their values differ', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(1, 'A', 'B', null),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('name', 'type', 'config', 'x'), tie('any'), { maxKeys: 3, noNullPrototype: true }),
      fc.record({ type: fc.constantFrom('F', 'G'), name: fc.constantFrom('A', 'B'), config: tie('any') }),
    ),
  })).any
  fc.assert(
    fc.property(value, value, (left, right) => {
      const [before, after] = [{ handler: left }, { handler: right }]
      // Generated objects have different prototypes.
      const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
      const isSame = isDeepStrictEqual(plain(before), plain(after))
      assert.equal(changesOf(before, after).length === 0, isSame, JSON.stringify([before, after]))
    }),
    { numRuns: 500 },
  )
})

test('lists of thousands of objects are compared in a moment', () => {
  const filters = Array.from({ length: 5_000 }, (_, at) => filter(`F${at}`))
  const before = chain(filters, 'U')
  const others = filters.map(({ name }) => filter(`other ${name}`))
  const start = performance.now()
  assert.deepEqual(changesOf(before, chain([...filters.slice(1), filters[0]], 'U')), [
    'moved HeaderFilter "F0" /handler/config/filters/0 to /handler/config/filters/4999',
  ])
  assert.equal(changesOf(before, chain(others, 'U')).length, 10_000)
  assert.ok(performance.now() - start < 20_000, 'not quadratic')
})

test('the same route in another order of keys or with comments has no differences; a text without an object has none', () => {
  assert.deepEqual(structureDiff('{ "a": 1, "b": [1, 2] }', '{ /* c */ "b": [1, 2], "a": 1 }'), [])
  assert.equal(structureDiff('', '{}'), null)
  assert.equal(structureDiff('[]', '{}'), null)
})
