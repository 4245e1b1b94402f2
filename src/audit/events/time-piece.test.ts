import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isoTime } from './iso-time.ts'
import { NOT_WRITTEN } from './text-bytes.ts'
import { TimePiece } from './time-piece.ts'

const memory = Buffer.alloc(100)

test('a time is that of isoTime, between the two texts', () => {
  const time = fc.oneof(fc.integer({ min: 0, max: 4e12 }), fc.double({ min: 0, max: 4e12, noNaN: true }))
  const near = time.chain((first) => fc.array(fc.integer({ min: 0, max: 1_500 }).map((more) => first + more)))
  fc.assert(
    fc.property(near, (times) => {
      const piece = new TimePiece('<', '>')
      for (const each of times) {
        const end = piece.write(memory, 2, each)
        assert.equal(memory.toString('latin1', 2, end), `<${isoTime(each)}>`)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('a time before 1970, or none, is not written', () => {
  const piece = new TimePiece('<', '>')
  for (const time of [-1, Number.NaN]) assert.equal(piece.write(memory, 0, time), NOT_WRITTEN)
  assert.equal(piece.write(memory, NOT_WRITTEN, 0), NOT_WRITTEN)
})
