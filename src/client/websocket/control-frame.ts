import { randomBytes } from 'node:crypto'

/** Receiver of a frame; frames to a server are masked (RFC 6455 section 5.1). */
export type FrameReceiver = 'client' | 'server'

const FINAL = 0x80
const CLOSE = 0x8
const PING = 0x9
const MASKED = 0x80
/** RFC 6455 section 5.5: 125 bytes including the status code. */
const MAX_REASON = 123

/** A ping without a message. */
export function pingFrame(receiver: FrameReceiver): Buffer {
  return frame(PING, Buffer.alloc(0), receiver)
}

/** A close frame with a status code and a short reason in ASCII. */
export function closeFrame(code: number, reason: string, receiver: FrameReceiver): Buffer {
  const payload = Buffer.concat([Buffer.alloc(2), Buffer.from(reason.slice(0, MAX_REASON), 'latin1')])
  payload.writeUInt16BE(code)
  return frame(CLOSE, payload, receiver)
}

function frame(opcode: number, payload: Buffer, receiver: FrameReceiver): Buffer {
  if (receiver === 'client') return Buffer.concat([Buffer.from([FINAL | opcode, payload.length]), payload])
  const mask = randomBytes(4)
  const masked = payload.map((byte, at) => byte ^ mask[at % 4]!)
  return Buffer.concat([Buffer.from([FINAL | opcode, MASKED | payload.length]), mask, masked])
}
