import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NumberedPiece } from './numbered-piece.ts'
import { MAX_TEXT, NOT_WRITTEN } from './text-bytes.ts'

const memory = Buffer.alloc(4 * MAX_TEXT)

const piece = () =>
  new NumberedPiece((a: string, b: boolean, c: string | null) => [`<${a}${b}`, `${c}>`], '', true, null)

test('a piece is its texts with the number between them, whatever came before', () => {
  const number = fc.oneof(
    fc.nat(12),
    fc.nat(1_200),
    fc.nat(),
    fc.maxSafeNat(),
    fc.nat(30).map((n) => 999_999_990 + n),
  )
  const values = fc.tuple(number, fc.constantFrom('a', 'é', '12'), fc.boolean(), fc.constantFrom(null, 'b'))
  fc.assert(
    fc.property(fc.array(values, { maxLength: 20 }), (list) => {
      const written = piece()
      for (const [count, a, b, c] of list) {
        const end = written.write(memory, 1, count, a, b, c)
        if (a === 'é') assert.equal(end, NOT_WRITTEN)
        else assert.equal(memory.toString('latin1', 1, end), `<${a}${b}${count}${c}>`)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('the texts are made when a value changes, not when the number does', () => {
  const made: string[] = []
  const written = new NumberedPiece(
    (text: string) => {
      made.push(text)
      return [text, text]
    },
    '',
    null,
    null,
  )
  for (const number of [8, 9, 10, 11, 99, 100, 5]) written.write(memory, 0, number, 'a', null, null)
  written.write(memory, 0, 5, 'b', null, null)
  assert.deepEqual(made, ['', 'a', 'b'])
})

test('of numbers with many digits the last ones alone are written again', () => {
  const counting = Buffer.alloc(100)
  let texts = 0
  counting.write = (text: string, at: unknown) => {
    texts++
    return memory.write.call(counting, text, at as number, text.length, 'latin1')
  }
  const written = new NumberedPiece((text: string) => [text, '.'], 'n', null, null)
  for (let number = 4_999_999_990; number < 5_000_000_020; number++) {
    const end = written.write(counting, 0, number, 'n', null, null)
    assert.equal(counting.toString('latin1', 0, end), `n${number}.`)
  }
  assert.equal(texts, 2 * 3, 'the text before, the number and the text after, for each of the first digits')
})

test('a number that is negative or no integer is not written, nor is a text that is too long', () => {
  const written = piece()
  for (let time = 0; time < 3; time++) {
    assert.notEqual(written.write(memory, 0, 1, 'a', true, null), NOT_WRITTEN)
    for (const number of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.equal(written.write(memory, 0, number, 'a', true, null), NOT_WRITTEN)
    }
  }
  const long = 'x'.repeat(MAX_TEXT + 1)
  for (let time = 0; time < 3; time++) assert.equal(written.write(memory, 0, 1, long, true, null), NOT_WRITTEN)
  assert.equal(written.write(memory, NOT_WRITTEN, 1, 'a', true, null), NOT_WRITTEN)
})

test('texts that are long together are written each time', () => {
  const [before, after] = ['x'.repeat(MAX_TEXT), 'y'.repeat(MAX_TEXT)]
  const written = new NumberedPiece(() => [before, after], '', null, null)
  for (let number = 8; number < 12; number++) {
    const end = written.write(memory, 0, number, 'a', null, null)
    assert.equal(memory.toString('latin1', 0, end), `${before}${number}${after}`)
  }
})
