import assert from 'node:assert/strict'
import { test } from 'node:test'
import { schemaOfType } from '#test/type-schemas'
import type { Schema } from '../../api/types.ts'
import { heapObjects, namesOfTypes } from '../../model/heap-objects.ts'
import { acceptsText, acceptsTexts, shapeOf } from './field-shape.ts'
import { isListOfTexts, isMapOfTexts, listOf, mapOf, repeatedName, rowsOfMap } from './text-rows.ts'

function shapeOfField(type: string, name: string) {
  const root = schemaOfType(type) as Schema
  return { root, shape: shapeOf(root.properties?.['config']?.properties?.[name] as Schema, root) }
}

test('lists of texts have rows, also where an item may be a list; lists of objects have not', () => {
  for (const [type, name, isText] of [
    ['HeaderFilter', 'remove', true],
    ['OAuth2ResourceServerFilter', 'scopes', true],
    ['Chain', 'filters', false],
  ] as const) {
    const { root, shape } = shapeOfField(type, name)
    assert.ok(shape.kind === 'list', `${type} ${name}`)
    assert.equal(acceptsText(shape.item, root), isText, `${type} ${name}`)
  }
})

test('values of a map are texts, lists of texts, or both', () => {
  const { root, shape } = shapeOfField('HeaderFilter', 'add')
  assert.ok(shape.kind === 'map')
  assert.deepEqual([acceptsText(shape.value, root), acceptsTexts(shape.value, root)], [true, true])
  const number: Schema = { anyOf: [{ type: 'integer' }, { $ref: '#/$defs/Expression' }] }
  assert.deepEqual(
    [acceptsText(number, root), acceptsTexts(number, root), acceptsText({}, root)],
    [false, false, false],
  )
})

test('an object with known fields and a reference keep what their form needs', () => {
  const { shape } = shapeOfField('ThrottlingFilter', 'rate')
  assert.ok(shape.kind === 'object')
  assert.deepEqual(Object.keys(shape.schema.properties ?? {}), ['numberOfRequests', 'duration'])
  const policy = shapeOfField('ThrottlingFilter', 'throttlingRatePolicy').shape
  assert.ok(policy.kind === 'reference')
  const heap = [{ name: 'A', type: 'MappedThrottlingPolicy' }, { name: 'B', type: 'CookieFilter' }, 'C', null]
  const inherited = [
    { name: 'B', type: 'MappedThrottlingPolicy' },
    { name: 'D', type: 'MappedThrottlingPolicy' },
  ]
  assert.deepEqual(namesOfTypes(heapObjects(JSON.stringify({ heap }), inherited), policy.types), ['A', 'D'])
})

test('rows give the map they were read from; rows without name or value are left out', () => {
  const map = { One: 'a', Two: ['b'], Three: ['c', 'd'] }
  assert.deepEqual(mapOf(rowsOfMap(map)), map)
  const empty = { name: '', values: ['x'], isList: false }
  assert.deepEqual(mapOf([empty, { name: 'A', values: ['', 'x'], isList: false }]), { A: 'x' })
  assert.equal(mapOf([empty, { name: 'A', values: [''], isList: true }]), undefined)
  assert.equal(repeatedName([...rowsOfMap(map), { name: 'Two', values: ['x'], isList: false }]), 'Two')
  assert.equal(repeatedName([...rowsOfMap(map), empty, empty]), null)
  assert.deepEqual([listOf(['a', '', 'b']), listOf([''])], [['a', 'b'], undefined])
})

test('values that rows would lose are not shown as rows', () => {
  for (const value of [{ A: null }, { A: '' }, { A: [] }, { A: ['x', 1] }, { '': 'x' }, ['x'], 'x'])
    assert.equal(isMapOfTexts(value), false, JSON.stringify(value))
  for (const value of [[''], [['x']], [1], 'x', {}]) assert.equal(isListOfTexts(value), false, JSON.stringify(value))
})
