import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** RFC 6455, section 1.3. */
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

const TEXT = 1
const CLOSE = 8
const PING = 9
const PONG = 10

/** Bytes of a message; longer ones close the connection. */
const MAX_MESSAGE = 64 * 1024

/** A WebSocket endpoint that greets, and returns each message in upper case. Messages are single frames. */
export function acceptWebSocket(request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy())
  const key = request.headers['sec-websocket-key']
  if (key === undefined || request.headers.upgrade?.toLowerCase() !== 'websocket') {
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    return
  }
  const accept = createHash('sha1')
    .update(key + KEY_SUFFIX)
    .digest('base64')
  const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
  socket.write(`${head.join('\r\n')}\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`)
  socket.write(frame(TEXT, Buffer.from('hello over WebSocket')))
  let received = Buffer.alloc(0)
  socket.on('data', (data: Buffer) => {
    received = Buffer.concat([received, data])
    for (let next = readFrame(received); next !== null; next = readFrame(received)) {
      if (next === 'invalid') {
        socket.destroy()
        return
      }
      received = received.subarray(next.length)
      if (!respond(socket, next.opcode, next.content)) return
    }
  })
}

/** Whether the connection stays open. A client that does not read its responses is disconnected. */
function respond(socket: Duplex, opcode: number, content: Buffer): boolean {
  if (opcode === CLOSE) {
    socket.end(frame(CLOSE, content))
    return false
  }
  if (opcode === PING) socket.write(frame(PONG, content))
  if (opcode === TEXT) socket.write(frame(TEXT, Buffer.from(content.toString('utf8').toUpperCase())))
  if (socket.writableLength <= 4 * MAX_MESSAGE) return true
  socket.destroy()
  return false
}

interface Frame {
  readonly opcode: number
  readonly content: Buffer
  /** Bytes of the whole frame. */
  readonly length: number
}

/** The first frame; null where it is incomplete. Frames of clients are masked. */
function readFrame(bytes: Buffer): Frame | 'invalid' | null {
  if (bytes.length < 2) return null
  const short = (bytes[1] as number) & 0x7f
  const isMasked = ((bytes[1] as number) & 0x80) !== 0
  if (!isMasked || short === 127) return 'invalid'
  const start = short === 126 ? 8 : 6
  if (bytes.length < start) return null
  const length = short === 126 ? bytes.readUInt16BE(2) : short
  if (bytes.length < start + length) return null
  const mask = bytes.subarray(start - 4, start)
  const content = Buffer.from(bytes.subarray(start, start + length).map((byte, at) => byte ^ (mask[at % 4] as number)))
  return { opcode: (bytes[0] as number) & 0x0f, content, length: start + length }
}

function frame(opcode: number, content: Buffer): Buffer {
  const head =
    content.length < 126 ? Buffer.from([0x80 | opcode, content.length]) : Buffer.from([0x80 | opcode, 126, 0, 0])
  if (content.length >= 126) head.writeUInt16BE(content.length, 2)
  return Buffer.concat([head, content])
}
