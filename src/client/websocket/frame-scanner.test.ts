import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { closeFrame, pingFrame } from './control-frame.ts'
import { FrameScanner } from './frame-scanner.ts'

/** A frame (RFC 6455 section 5.2) with a payload of zeros. */
function frame(length: number, opcode: number, masked: boolean): Buffer {
  const mask = masked ? 0x80 : 0
  const short = length < 126 ? length : length < 65_536 ? 126 : 127
  const header = [0x80 | opcode, mask | short]
  const extended = Buffer.alloc(short === 126 ? 2 : short === 127 ? 8 : 0)
  if (short === 126) extended.writeUInt16BE(length)
  if (short === 127) extended.writeBigUInt64BE(BigInt(length))
  return Buffer.concat([Buffer.from(header), extended, Buffer.alloc(masked ? 4 : 0, 7), Buffer.alloc(length)])
}

const frames = fc.array(
  fc.record({
    length: fc.oneof(fc.nat(200), fc.constantFrom(125, 126, 65_535, 65_536), fc.nat(70_000)),
    opcode: fc.constantFrom(0, 1, 2, 9, 10),
    masked: fc.boolean(),
  }),
  { minLength: 1, maxLength: 6 },
)

test('finds every end of a frame for chunks of any size', () => {
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1 }), (list, cuts) => {
      const bytes = Buffer.concat(list.map(({ length, opcode, masked }) => frame(length, opcode, masked)))
      const ends = new Set<number>()
      let total = 0
      for (const { length, opcode, masked } of list) {
        total += frame(length, opcode, masked).length
        ends.add(total)
      }
      const scanner = new FrameScanner()
      const found = new Set<number>()
      for (let from = 0, cut = 0; from < bytes.length; cut++) {
        const chunk = bytes.subarray(from, from + cuts[cut % cuts.length]!)
        for (let at = 0; at < chunk.length; ) {
          at = scanner.advance(chunk, at)
          if (scanner.isBetweenFrames) found.add(from + at)
        }
        from += chunk.length
      }
      assert.deepEqual([...found], [...ends])
      assert.equal(scanner.hasClosed, false)
    }),
    { numRuns: 60 },
  )
})

test('a close frame is detected when it is complete', () => {
  const scanner = new FrameScanner()
  const bytes = closeFrame(1001, 'going', 'server')
  scanner.advance(bytes.subarray(0, 9), 0)
  assert.equal(scanner.hasClosed, false)
  scanner.advance(bytes.subarray(9), 0)
  assert.equal(scanner.hasClosed, true)
})

test('a close frame without status code is detected', () => {
  const scanner = new FrameScanner()
  scanner.advance(Buffer.from([0x88, 0]), 0)
  assert.equal(scanner.hasClosed, true)
})

test('B68: a length of 64 bits is accepted, and does not end the frame', () => {
  const scanner = new FrameScanner()
  const bytes = Buffer.concat([Buffer.from([0x82, 127]), Buffer.alloc(8, 0xff), Buffer.alloc(1_000)])
  assert.equal(scanner.advance(bytes, 0), bytes.length)
  assert.equal(scanner.isBetweenFrames, false)
})

test('frames of the gateway: masked towards servers, plain towards clients', () => {
  assert.deepEqual([...pingFrame('client')], [0x89, 0])
  assert.deepEqual([...closeFrame(1001, 'ok', 'client')], [0x88, 4, 0x03, 0xe9, 0x6f, 0x6b])
  const masked = closeFrame(1001, 'ok', 'server')
  assert.deepEqual([...masked.subarray(0, 2)], [0x88, 0x84])
  const payload = masked.subarray(6).map((byte, at) => byte ^ masked[2 + at]!)
  assert.deepEqual([...payload], [0x03, 0xe9, 0x6f, 0x6b])
  assert.equal(closeFrame(1001, 'x'.repeat(500), 'client').length, 127)
})
