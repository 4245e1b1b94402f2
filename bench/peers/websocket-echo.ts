// A WebSocket application that echoes every frame, and responds with 200 to other requests. It assumes masks of zeros, as
// the load generator sends them. Argument: port.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { Duplex } from 'node:stream'

const [port] = process.argv.slice(2)
if (port === undefined) throw new Error('expected: port')

const maskBytes = 4

/** Echoes the frames of one connection, without waiting for their ends. */
function echo(socket: Duplex): void {
  let left = 0
  let rest = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    rest = Buffer.alloc(0)
    let taken = true
    socket.cork()
    while (bytes.length > 0) {
      if (left === 0) {
        const head = headOf(bytes)
        if (head === null) {
          rest = Buffer.from(bytes)
          break
        }
        const plain = Buffer.from(bytes.subarray(0, head.length - maskBytes))
        plain[1]! &= 0x7f
        socket.write(plain)
        left = head.payload
        bytes = bytes.subarray(head.length)
      }
      const part = bytes.subarray(0, left)
      if (part.length > 0) taken = socket.write(part)
      left -= part.length
      bytes = bytes.subarray(part.length)
    }
    socket.uncork()
    if (!taken) socket.pause()
  })
  socket.on('drain', () => socket.resume())
}

/** Length of the head at the start, with the mask, and of the payload that follows; null if the head is incomplete. */
function headOf(bytes: Buffer): { length: number; payload: number } | null {
  if (bytes.length < 2) return null
  const short = bytes[1]! & 0x7f
  const length = 2 + maskBytes + (short === 126 ? 2 : short === 127 ? 8 : 0)
  if (bytes.length < length) return null
  const payload = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  return { length, payload }
}

createServer((_request, response) => response.end('ready'))
  .on('upgrade', (request, socket, head) => {
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    echo(socket)
    if (head.length > 0) socket.unshift(head)
  })
  .listen(Number(port), '127.0.0.1')
