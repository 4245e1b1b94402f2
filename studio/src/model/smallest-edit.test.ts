import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { valueAt } from './canvas-edits.ts'
import { withValue } from './route-document.ts'
import { smallestEdit } from './smallest-edit.ts'

test('an edit is that of the innermost value that changed', () => {
  assert.deepEqual(smallestEdit({ a: { b: 1, c: [1, 2] } }, { a: { b: 1, c: [1, 3] } }), {
    path: ['a', 'c', 1],
    value: 3,
  })
  assert.deepEqual(smallestEdit(['x', 'y', 'z'], ['x', 'z']), { path: [1], value: undefined })
  assert.deepEqual(smallestEdit(['x'], ['x', 'y']), { path: [1], value: 'y' })
  assert.deepEqual(smallestEdit({ a: 1 }, { a: 1, b: 2 }), { path: ['b'], value: 2 })
  assert.deepEqual(smallestEdit({ a: 1, b: 2 }, { b: 2 }), { path: ['a'], value: undefined })
  assert.deepEqual(smallestEdit({ a: 1, b: 2 }, { b: 2, a: 1 }), { path: [], value: { b: 2, a: 1 } })
  assert.deepEqual(smallestEdit({ a: 1 }, undefined), { path: [], value: undefined })
})

test('the edit of the text gives the new value, whatever both values are', () => {
  const key = fc.constantFrom('a', 'b', 'c')
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(fc.integer(), fc.string(), fc.array(tie('value'), { maxLength: 3 }), tie('object')),
    object: fc.dictionary(key, tie('value'), { noNullPrototype: true }),
  }))
  fc.assert(
    fc.property(value, value, (before, after) => {
      const text = JSON.stringify({ config: { field: before } }, null, 2)
      const edit = smallestEdit(before, after)
      const edited = withValue(text, ['config', 'field', ...edit.path], edit.value)
      assert.equal(JSON.stringify(valueAt(edited, ['config', 'field'])), JSON.stringify(after))
    }),
  )
})
