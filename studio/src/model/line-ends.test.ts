import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasCrlf, withCrlf, withLf } from './line-ends.ts'

test('a text with CRLF at each line is the same after it was edited with LF', () => {
  const text = '{\r\n  "a": 1\r\n}\r\n'
  assert.ok(hasCrlf(text))
  assert.equal(withLf(text), '{\n  "a": 1\n}\n')
  assert.equal(withCrlf(withLf(text)), text)
})

test('a text with LF at one of its lines is none with CRLF', () => {
  for (const text of ['', '{}', '{\n}', '{\r\n}\n', '\n{\r\n}'])
    assert.equal(hasCrlf(text), false, JSON.stringify(text))
})
