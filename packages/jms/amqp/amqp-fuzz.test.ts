// Random frames of a hostile peer: each is passed on complete, or refused with FrameError.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AmqpFrames, FrameError } from './amqp-frames.ts'

/** An open performative with a list, strings, symbols and a map, as brokers send it. */
const OPEN = Buffer.from(
  '0000003b02000000005310c02e06a10662726f6b6572404070000010006003ff40c11a04a30770726f64756374a10362726ba30776657273696f6ea10131',
  'hex',
)
OPEN.writeUInt32BE(OPEN.length, 0)

function readAll(chunks: readonly Buffer[]): { frames: string[]; isRefused: boolean } {
  const reader = new AmqpFrames()
  const frames: string[] = []
  try {
    for (const chunk of chunks) for (const frame of reader.read(chunk)) frames.push(frame.toString('hex'))
    return { frames, isRefused: false }
  } catch (error) {
    assert.ok(error instanceof FrameError, String((error as Error).stack))
    return { frames, isRefused: true }
  }
}

test('amqp: a frame of a broker is passed on, whatever its chunks', () => {
  const bytes = Buffer.concat([Buffer.from('AMQP\0\x01\0\0', 'latin1'), OPEN, OPEN])
  const whole = readAll([bytes])
  assert.deepEqual(whole, {
    frames: ['414d515000010000', OPEN.toString('hex'), OPEN.toString('hex')],
    isRefused: false,
  })
  const single = Array.from({ length: bytes.length }, (_, index) => bytes.subarray(index, index + 1))
  assert.deepEqual(readAll(single), whole)
})

test('amqp: random changes of a frame are passed on or refused, the same however they are split', () => {
  const changed = fc.array(fc.tuple(fc.nat(OPEN.length - 1), fc.nat(255)), { maxLength: 5 }).map((changes) => {
    const bytes = Buffer.from(OPEN)
    for (const [at, value] of changes) bytes[at] = value
    return bytes
  })
  fc.assert(
    fc.property(fc.array(changed, { maxLength: 4 }), fc.integer({ min: 1, max: 30 }), (parts, size) => {
      const bytes = Buffer.concat(parts)
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      )
      assert.deepEqual(readAll(chunks), readAll([bytes]))
    }),
  )
})
