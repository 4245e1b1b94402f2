// Edits of the text of a route.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { getNodeValue } from 'jsonc-parser'
import { canvasModel } from './canvas-model.ts'
import { treeOf, withValue } from './route-document.ts'

test('a text that is nested deeper than the stack has no tree, and no picture', () => {
  const nested = (depth: number) => `{"handler":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`
  assert.equal(treeOf(nested(100_000)), null)
  assert.deepEqual(canvasModel(nested(100_000)), canvasModel('no JSON'))
  for (const depth of [100, 1_000, 2_000, 4_000]) if (treeOf(nested(depth)) !== null) canvasModel(nested(depth))
})

test('the last element of a list is removed whole, with its comma and nothing else', () => {
  for (const [before, after] of [
    ['{"f":["a","b"]}', '{"f":["a"]}'],
    ['{"f":["a", "b" ]}', '{"f":["a" ]}'],
    ['{"f":[\n  "a",\n  "b"\n]}', '{"f":[\n  "a"\n]}'],
    ['{"f":["a", // first, of two\n  "b"]}', '{"f":["a" // first, of two\n  ]}'],
    ['{"f":["a" /* one, */, {"type":"b"}]}', '{"f":["a" /* one, */ ]}'],
    ['{"f":["a", "b" // last\n]}', '{"f":["a" // last\n]}'],
  ] as const) {
    assert.equal(withValue(before, ['f', 1], undefined), after)
    assert.deepEqual(JSON.parse(JSON.stringify(getNodeValue(treeOf(after)!))), { f: ['a'] })
  }
})

test('an element removed from a list of any layout leaves the others', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), fc.nat(), fc.nat(3), (list, choice, indent) => {
      const index = choice % list.length
      const text = JSON.stringify({ list, after: 1 }, null, indent)
      const expected = { list: list.toSpliced(index, 1), after: 1 }
      const removed = withValue(text, ['list', index], undefined)
      assert.deepEqual(JSON.parse(removed), JSON.parse(JSON.stringify(expected)))
    }),
  )
})

test('an inserted value has the indentation of the text', () => {
  assert.equal(withValue('{\n\t"a": 1\n}', ['b'], { c: 1 }), '{\n\t"a": 1,\n\t"b": {\n\t\t"c": 1\n\t}\n}')
  assert.equal(withValue('{\n    "a": 1\n}', ['b'], [1]), '{\n    "a": 1,\n    "b": [\n        1\n    ]\n}')
})
