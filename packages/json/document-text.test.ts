import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentText, JsonSyntaxError } from './index.ts'

function failure(bytes: Uint8Array): string {
  try {
    documentText(bytes)
  } catch (error) {
    assert.ok(error instanceof JsonSyntaxError)
    return error.message
  }
  return ''
}

test('a byte order mark and characters of any length are kept', () => {
  const text = '\ufeff{ "a": "caf\u00e9 \u20ac \u{1f511} \ufffd" }\r\n'
  assert.equal(documentText(Buffer.from(text)), text)
})

test('bytes that are not UTF-8 are an error with the position of the first', () => {
  assert.equal(
    failure(Buffer.from('{\n  "a": "caf\xe9" }', 'latin1')),
    'line 2, column 12: the file is not UTF-8 text; save it as UTF-8',
  )
  const valid = Buffer.from('{ "\u00e9": "\ufffd",\n')
  assert.equal(
    failure(Buffer.concat([valid, Buffer.from([0x22, 0xc3, 0x28])])),
    'line 2, column 2: the file is not UTF-8 text; save it as UTF-8',
  )
})

test('UTF-16 is named', () => {
  assert.equal(
    failure(Buffer.from('\ufeff{}', 'utf16le')),
    'line 1, column 1: the file is UTF-16 text; save it as UTF-8',
  )
})
