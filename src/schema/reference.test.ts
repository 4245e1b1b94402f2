import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  config,
  decode,
  formatProblem,
  kind,
  list,
  map,
  object,
  ref,
  referencesIn,
  refToAny,
  renames,
  writtenReferencesIn,
} from './index.ts'

const HandlerLike = kind<object>('Handler')
const FilterLike = kind<object>('Filter')

test('a reference is a name or an object with a type', () => {
  const read = (value: unknown) => decode(ref(HandlerLike), value, '/handler').problems.map(formatProblem)
  assert.deepEqual(read('a'), [])
  assert.deepEqual(read({ type: 'Chain' }), [])
  assert.deepEqual(read({ typ: 'Chain' }), ['/handler: expected a "type" in the Handler declared here'])
  assert.deepEqual(read({ type: 5 }), ['/handler: expected a "type" in the Handler declared here'])
  assert.deepEqual(read({ name: 'a' }), [])
  assert.deepEqual(read({ name: 'a', capture: 'all' }), [
    '/handler: expected a "type" in the Handler declared here; to use the object of that name in the heap, write "a" instead of { "name": ... }',
  ])
  for (const [value, shown] of [
    ['', '""'],
    [5, '5'],
    [['a', 'b'], 'an array'],
  ]) {
    assert.deepEqual(read(value), [
      `/handler: expected the name of a Handler or an object { "type": ... }, got ${shown}`,
    ])
  }
})

test('a name without a type is a reference, with a warning', () => {
  const { value, warnings } = decode(ref(HandlerLike), { name: 'a', comment: 'in the heap' }, '/handler')
  assert.deepEqual(
    [...referencesIn(value, '')].map(([reference]) => reference.target),
    ['a'],
  )
  assert.deepEqual(warnings.map(formatProblem), [
    '/handler: { "name": ... } without a type is read as a reference; write "a"',
  ])
})

test('several stores are one SecretsProvider', () => {
  const { value } = decode(ref(kind<object>('SecretsProvider')), ['a', 'b'], '/secretsProvider')
  const targets = [...referencesIn(value, '')].map(([reference]) => reference.target)
  assert.deepEqual(targets, [{ type: 'SecretsProvider', config: { stores: ['a', 'b'] } }])
})

test('the error of a reference to several kinds names all of them', () => {
  const { problems } = decode(refToAny(HandlerLike, FilterLike), 1, '')
  assert.deepEqual(problems.map(formatProblem), [
    'expected the name of a Handler or Filter or an object { "type": ... }, got 1',
  ])
})

test('every reference is found with its pointer before settling', () => {
  const fields = object(
    {
      one: ref(HandlerLike),
      many: list(ref(FilterLike)),
      named: map(ref(FilterLike)),
      held: config(list(ref(FilterLike))),
    },
    { older: renames({ single: 'one' }) },
  )
  const json = { single: 'a', many: ['b', { type: 'T' }], named: { 'x/y': 'c' }, held: ['d'] }
  const { value } = decode(fields, json, '')
  const pointers = [...referencesIn(value, '/config')].map(([, pointer]) => pointer)
  assert.equal(pointers[0], '/config/one', 'the current name')
  const found = [...writtenReferencesIn(value, '/config')].map(([{ target }, pointer]) => [pointer, target])
  assert.deepEqual(found, [
    ['/config/single', 'a'],
    ['/config/many/0', 'b'],
    ['/config/many/1', { type: 'T' }],
    ['/config/named/x~1y', 'c'],
    ['/config/held/0', 'd'],
  ])
})
