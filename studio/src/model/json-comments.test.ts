import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonComments } from './json-comments.ts'

test('comments are found to the end of their line or mark, and not in strings', () => {
  const text = '{\n  // "a": true\n  "b": "// no", /* 1,\n 2 */ "c": "${1 /* no */}" // last'
  const found = jsonComments(text).map(({ from, to }) => text.slice(from, to))
  assert.deepEqual(found, ['// "a": true', '/* 1,\n 2 */', '// last'])
})

test('a comment or a string that is not closed ends with the text or its line', () => {
  assert.deepEqual(jsonComments('{ /* open'), [{ from: 2, to: 9 }])
  assert.deepEqual(jsonComments('"open // no\n// yes'), [{ from: 12, to: 18 }])
  assert.deepEqual(jsonComments(''), [])
})

test('comments are found in a text that is not valid, and after its value', () => {
  assert.deepEqual(jsonComments('{ "a" 1 } // b\n] // c'), [
    { from: 10, to: 14 },
    { from: 17, to: 21 },
  ])
})
