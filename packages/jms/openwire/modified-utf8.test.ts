import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { modifiedUtf8Length, readModifiedUtf8, writeModifiedUtf8 } from './modified-utf8.ts'

function encode(text: string): Buffer {
  const buffer = Buffer.alloc(modifiedUtf8Length(text))
  assert.equal(writeModifiedUtf8(text, buffer, 0), buffer.length)
  return buffer
}

test('characters beyond the basic plane are two encoded surrogates, and U+0000 is two bytes', () => {
  assert.equal(encode('Aé€').toString('hex'), '41c3a9e282ac')
  assert.equal(encode('😀').toString('hex'), 'eda0bdedb880')
  assert.equal(encode('a\0b').toString('hex'), '61c08062')
  assert.equal(encode('\ud800').toString('hex'), 'eda080')
})

test('openwire: every text of UTF-16 units is read as it was written', () => {
  const units = fc.array(fc.oneof(fc.constantFrom(0, 0x41, 0xe9, 0xd83d, 0xde00, 0xd000), fc.nat(0xffff)))
  fc.assert(
    fc.property(units, (codes) => {
      const text = String.fromCharCode(...codes)
      assert.equal(readModifiedUtf8(encode(text)), text)
    }),
  )
})

test('openwire: bytes that are no text are read without an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      assert.equal(typeof readModifiedUtf8(Buffer.from(bytes)), 'string')
    }),
  )
})
