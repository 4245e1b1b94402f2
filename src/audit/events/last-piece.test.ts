import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LastPiece } from './last-piece.ts'
import { MAX_TEXT, NOT_WRITTEN } from './text-bytes.ts'

const memory = Buffer.alloc(4 * MAX_TEXT)

test('a piece is the text of its values, whatever came before', () => {
  const values = fc.tuple(fc.constantFrom('a', 'b', 'é', ''), fc.constantFrom(1, 2), fc.constantFrom(null, true))
  fc.assert(
    fc.property(fc.array(values), (list) => {
      const make = (a: string, b: number, c: boolean | null) => `<${a},${b},${c}>`
      const piece = new LastPiece(make, '', 0, null as boolean | null)
      for (const [a, b, c] of list) {
        const end = piece.write(memory, 1, a, b, c)
        if (a === 'é') assert.equal(end, NOT_WRITTEN)
        else assert.equal(memory.toString('latin1', 1, end), make(a, b, c))
      }
    }),
  )
})

test('the text is made when a value changes', () => {
  const made: string[] = []
  const make = (text: string) => {
    made.push(text)
    return text
  }
  const piece = new LastPiece(make, '', null, null)
  for (const text of ['a', 'a', 'a', 'b', 'b', 'a']) piece.write(memory, 0, text, null, null)
  assert.deepEqual(made, ['', 'a', 'b', 'a'])
})

test('a text that is too long is not written, however often it comes', () => {
  const piece = new LastPiece((text: string) => text, '', null, null)
  const text = 'x'.repeat(MAX_TEXT + 1)
  for (let time = 0; time < 3; time++) assert.equal(piece.write(memory, 0, text, null, null), NOT_WRITTEN)
  assert.equal(piece.write(memory, NOT_WRITTEN, 'a', null, null), NOT_WRITTEN)
})
