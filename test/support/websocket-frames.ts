import { connect, type Socket } from 'node:net'
import { rawUpstream, type Upstream } from './upstream.ts'
import { once, within } from './waiting.ts'
import { ACCEPT, HANDSHAKE } from './websocket-proxy.ts'

const PIECE = Buffer.alloc(65_536, 0x61)

/** An application that accepts every handshake and passes on the raw half-open connection. */
export function acceptingUpstream(accepted: (socket: Socket) => void, fields = ''): Promise<Upstream> {
  return rawUpstream((socket) => {
    socket.removeAllListeners('data').pause()
    socket.allowHalfOpen = true
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${ACCEPT}\r\n${fields}\r\n`,
    )
    accepted(socket)
  })
}

/** A raw client connection after the response 101. */
export async function upgraded(port: number, path = '/', fields = ''): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\n${HANDSHAKE}${fields}\r\n`)
  let head = ''
  while (!head.includes('\r\n\r\n')) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    head += chunk.toString('latin1')
  }
  socket.pause()
  if (!head.startsWith('HTTP/1.1 101 ')) throw new Error(`expected 101, got ${head.split('\r\n', 1)[0]}`)
  return socket
}

/** The head of a binary frame of that length (RFC 6455 section 5.2); `compressed` sets the bit of permessage-deflate. */
export function frameHead(length: number, { masked = false, compressed = false } = {}): Buffer {
  const head = Buffer.alloc(masked ? 14 : 10)
  head[0] = 0x82 | (compressed ? 0x40 : 0)
  head[1] = 127 | (masked ? 0x80 : 0)
  head.writeBigUInt64BE(BigInt(length), 2)
  return head
}

/** Writes bytes with back-pressure; stops when the connection is closed. */
export async function writeBytes(
  socket: Socket,
  bytes: number,
  sent: (count: number) => void = () => {},
): Promise<void> {
  for (let left = bytes; left > 0 && socket.writable; left -= PIECE.length) {
    const piece = left >= PIECE.length ? PIECE : PIECE.subarray(0, left)
    sent(piece.length)
    if (socket.write(piece)) continue
    const { promise, resolve } = Promise.withResolvers<void>()
    socket.once('drain', resolve).once('close', resolve)
    await promise
    socket.off('drain', resolve).off('close', resolve)
  }
}

/** Reads the given number of bytes. */
export async function readBytes(socket: Socket, bytes: number): Promise<void> {
  let left = bytes
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onData = (chunk: Buffer) => {
    left -= chunk.length
    if (left <= 0) resolve()
  }
  socket.on('data', onData)
  socket.once('close', () => reject(new Error(`the connection ended with ${left} bytes to come`)))
  socket.resume()
  await within(`${bytes} bytes were received`, promise)
  socket.off('data', onData)
}
