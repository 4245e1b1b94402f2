import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Load, LoadOptions } from './load.ts'

const handshake = [
  'GET /echo HTTP/1.1',
  'Host: bench',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n')

/** Sends messages of one size and waits for the echo of each, on the given number of connections, for a fixed time. */
export function echoLoad(size: number): (url: string, options: LoadOptions) => Promise<Load> {
  const message = frame(size)
  return async (url, { connections, seconds }) => {
    const sockets = await Promise.all(Array.from({ length: connections }, () => open(url)))
    const begin = performance.now()
    const end = begin + seconds * 1000
    const counts = await Promise.all(sockets.map((socket) => exchangeMessages(socket, message, end)))
    const requests = counts.reduce((sum, { echoes }) => sum + echoes, 0)
    const errors = counts.filter(({ isWhole }) => !isWhole).length
    return { requests, errors, seconds: (performance.now() - begin) / 1000 }
  }
}

/** Checks the echo of one message byte for byte: a wrong relay must not be measured. */
export async function checkEcho(url: string, size: number): Promise<void> {
  const socket = await open(url)
  const sent = frame(size)
  const expected = echoOf(sent, size)
  socket.write(sent)
  let got = Buffer.alloc(0)
  while (got.length < expected.length) {
    const [chunk] = (await once(socket, 'data', { signal: AbortSignal.timeout(5_000) })) as [Buffer]
    got = Buffer.concat([got, chunk])
  }
  socket.destroy()
  if (!got.equals(expected)) throw new Error(`${url}: expected a message of ${size} bytes unchanged, got another`)
}

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  socket.write(handshake)
  let head = ''
  while (!head.includes('\r\n\r\n')) {
    const [chunk] = (await once(socket, 'data', { signal: AbortSignal.timeout(5_000) })) as [Buffer]
    head += chunk.toString('latin1')
  }
  if (!head.startsWith('HTTP/1.1 101 ')) throw new Error(`${url}: expected 101, got ${head.split('\r\n', 1)[0]}`)
  return socket
}

function exchangeMessages(socket: Socket, message: Buffer, end: number): Promise<{ echoes: number; isWhole: boolean }> {
  const { promise, resolve } = Promise.withResolvers<{ echoes: number; isWhole: boolean }>()
  const awaited = message.length - 4
  let echoes = 0
  let left = awaited
  socket.on('data', (chunk) => {
    left -= chunk.length
    if (left > 0) return
    echoes++
    left = awaited
    if (performance.now() < end) {
      socket.write(message)
      return
    }
    resolve({ echoes, isWhole: true })
    socket.destroy()
  })
  socket.on('error', () => {})
  socket.on('close', () => resolve({ echoes, isWhole: false }))
  socket.write(message)
  return promise
}

/** One binary frame with a mask of zeros (RFC 6455 section 5.2), which leaves the payload unchanged. */
function frame(size: number): Buffer {
  const extended = Buffer.alloc(size < 126 ? 0 : size < 65_536 ? 2 : 8)
  if (extended.length === 2) extended.writeUInt16BE(size)
  if (extended.length === 8) extended.writeBigUInt64BE(BigInt(size))
  const short = extended.length === 0 ? size : extended.length === 2 ? 126 : 127
  const payload = Buffer.alloc(size).map((_, at) => at % 251)
  return Buffer.concat([Buffer.from([0x82, 0x80 | short]), extended, Buffer.alloc(4), payload])
}

function echoOf(sent: Buffer, size: number): Buffer {
  const head = Buffer.from(sent.subarray(0, sent.length - size - 4))
  head[1]! &= 0x7f
  return Buffer.concat([head, sent.subarray(sent.length - size)])
}
