import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MAX_TEXT, NOT_WRITTEN, writeAscii, writeBytes, writeDecimal, writePlain } from './text-bytes.ts'

const START = 3
const memory = Buffer.alloc(START + 3 * MAX_TEXT)

/** What a function has written from a position on; null where it has not. */
function written(write: (at: number) => number): string | null {
  const end = write(START)
  return end === NOT_WRITTEN ? null : memory.toString('latin1', START, end)
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[ !#-[\]-~]{0,40}$/),
)

test('integers that are not negative are written, and no other numbers', () => {
  const number = fc.oneof(fc.maxSafeNat(), fc.nat(1_000), fc.integer(), fc.double())
  fc.assert(
    fc.property(number, (value) => {
      const expected = Number.isSafeInteger(value) && value >= 0 ? String(value) : null
      assert.equal(
        written((at) => writeDecimal(memory, at, value)),
        Object.is(value, -0) ? '0' : expected,
      )
    }),
  )
  for (const value of [0, 9, 10, 99, 100, 2 ** 31 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
    assert.equal(
      written((at) => writeDecimal(memory, at, value)),
      String(value),
    )
  }
})

test('texts are written where they are ASCII, and plain ones where JSON escapes none of their characters', () => {
  fc.assert(
    fc.property(text, (value) => {
      assert.equal(
        written((at) => writeAscii(memory, at, value)),
        /^\p{ASCII}*$/u.test(value) ? value : null,
      )
      assert.equal(
        written((at) => writePlain(memory, at, value)),
        /^[ !#-[\]-~]*$/.test(value) ? value : null,
      )
    }),
    { numRuns: 1_000 },
  )
})

test('a text that is too long is not written, and nothing after one that was not', () => {
  assert.equal(writePlain(memory, START, 'x'.repeat(MAX_TEXT)), START + MAX_TEXT)
  assert.equal(writePlain(memory, START, 'x'.repeat(MAX_TEXT + 1)), NOT_WRITTEN)
  assert.equal(writeAscii(memory, START, 'x'.repeat(MAX_TEXT + 1)), NOT_WRITTEN)
  memory.fill(0)
  for (const each of ['', 'short', 'x'.repeat(20)]) {
    assert.equal(writePlain(memory, NOT_WRITTEN, each), NOT_WRITTEN)
    assert.equal(writeAscii(memory, NOT_WRITTEN, each), NOT_WRITTEN)
  }
  assert.equal(writeDecimal(memory, NOT_WRITTEN, 1), NOT_WRITTEN)
  assert.equal(writeBytes(memory, NOT_WRITTEN, Buffer.from('a')), NOT_WRITTEN)
  assert.ok(memory.every((byte) => byte === 0))
})
