import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathAt, treeOf } from './route-document.ts'
import { placeAt } from './schema-place.ts'
import { isWithinLimits } from './text-limits.ts'

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const long = (length: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length }, (_, at) => [`name ${at}`, { a: [at] }])))

test('names are no values, and comments do not count', () => {
  assert.deepEqual(
    [9_999, 10_001].map((length) => isWithinLimits(`[${Array(length).fill(0)}]`)),
    [true, false],
  )
  assert.deepEqual(
    [3_333, 3_334].map((length) => isWithinLimits(`// [[[\n${long(length)}`)),
    [true, false],
  )
  assert.deepEqual(
    [256, 257].map((depth) => isWithinLimits(nested(depth))),
    [true, false],
  )
  for (const text of ['', 'no JSON', ']]]]', '{"a": "unclosed']) assert.equal(isWithinLimits(text), true, text)
})

test('a text beyond the limits has no tree, and no place in it', () => {
  for (const text of [nested(100_000), long(100_000)]) {
    assert.equal(treeOf(text), null)
    assert.deepEqual(pathAt(text, 10), [])
    assert.deepEqual(placeAt(text, 10).path, [])
  }
})
