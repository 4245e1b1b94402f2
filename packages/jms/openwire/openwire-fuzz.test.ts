// Random bytes of a hostile peer: each is a command or a ProtocolError, and nothing else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { commandFrame, response } from '../../../test/support/openwire-broker.ts'
import { CommandType } from './command-types.ts'
import { FrameReader } from './frame-reader.ts'
import { decodeCommand, type InboundCommand } from './inbound-command.ts'
import { ProtocolError } from './protocol-error.ts'
import { encodeWireFormatInfo } from './wire-format.ts'

const MAX_FRAME = 4096

/** Real frames, which random ones are made from. */
const seeds: readonly Buffer[] = [
  encodeWireFormatInfo(30_000, 'broker.example.com'),
  response(7, null),
  response(8, { className: 'javax.jms.JMSException', message: 'Zoë 😀' }),
  ...Object.values(CommandType).map((type) =>
    commandFrame((output) => {
      output.byte(type)
      output.int(1)
      output.boolean(true)
      output.boolean(true)
      output.string('text')
      output.long(3)
    }),
  ),
]

const mutated = fc
  .tuple(fc.constantFrom(...seeds), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }), fc.nat())
  .map(([seed, changes, cut]) => {
    const bytes = Buffer.from(seed)
    for (const [at, value] of changes) bytes[at % bytes.length] = value
    return cut % 4 === 0 ? bytes.subarray(0, cut % bytes.length) : bytes
  })
const stream = fc
  .array(
    fc.oneof(
      mutated,
      fc.uint8Array({ maxLength: 32 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 8 },
  )
  .map((parts) => Buffer.concat(parts))

/** Commands until the stream is refused, and whether it was. */
function readStream(chunks: readonly Buffer[]): { commands: InboundCommand[]; refused: string | null } {
  const reader = new FrameReader(MAX_FRAME)
  const commands: InboundCommand[] = []
  try {
    for (const chunk of chunks) for (const frame of reader.read(chunk)) commands.push(decodeCommand(frame))
    return { commands, refused: null }
  } catch (error) {
    assert.ok(error instanceof ProtocolError, String((error as Error).stack))
    assert.match(error.message, /^[ -~]*$/)
    return { commands, refused: error.message }
  }
}

test('openwire: random frames are read or refused with a reason, the same however they are split', () => {
  fc.assert(
    fc.property(stream, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }), (bytes, sizes) => {
      const chunks: Buffer[] = []
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = sizes[turn % sizes.length] as number
        chunks.push(bytes.subarray(at, at + size))
        at += size
      }
      const [whole, split] = [readStream([bytes]), readStream(chunks)]
      assert.deepEqual(split.commands, whole.commands)
      assert.equal(split.refused === null, whole.refused === null)
      for (const command of whole.commands) {
        if (command.kind !== 'response' && command.kind !== 'connectionError') continue
        assert.ok((command.exception?.message.length ?? 0) <= 500)
      }
    }),
  )
})
