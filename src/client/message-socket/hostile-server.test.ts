import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { once, within } from '#test/waiting'
import { MessageConnector } from './message-connector.ts'

const connector = new MessageConnector({ connectionTimeout: 2_000, maxMessageBytes: 1_000, tls: null, proxy: null })
const never = new AbortController().signal

/** Connects to a server that answers with raw bytes; resolves with the messages and the close. */
async function meet(
  answer: (accept: string) => string | Buffer,
  answered: (socket: Socket) => void = (socket) => socket.resume(),
) {
  const ended = Promise.withResolvers<void>()
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {}).on('close', () => ended.resolve())
    socket.once('data', (data) => {
      const key = /sec-websocket-key: (\S+)/i.exec(data.toString('latin1'))?.[1] ?? ''
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
      socket.write(answer(accept))
      answered(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const messages: (string | null)[] = []
  const closed = Promise.withResolvers<string>()
  const events = { message: (text: string | null) => messages.push(text), activity: () => {}, closed: closed.resolve }
  const request = { url: `http://127.0.0.1:${port}`, protocol: 'news', headers: {} }
  const outcome = await connector.open(request, events, never).then(
    () => closed.promise,
    (error: { code?: string }) => error.code ?? String(error),
  )
  // No socket stays open on either side.
  await within('the body ended', ended.promise)
  server.close()
  await once(server, 'close')
  return { outcome, messages }
}

const head = (accept: string, more = '', protocol = 'Sec-WebSocket-Protocol: news\r\n') =>
  `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${protocol}${more}\r\n`

const HANDSHAKES: [string, (accept: string) => string][] = [
  ['an Accept that does not fit', () => head('AAAAAAAAAAAAAAAAAAAAAAAAAAA=')],
  ['no subprotocol', (accept) => head(accept, '', '')],
  ['another subprotocol', (accept) => head(accept, '', 'Sec-WebSocket-Protocol: other\r\n')],
  ['spaces in the subprotocol', (accept) => head(accept, '', 'Sec-WebSocket-Protocol: ne ws\r\n')],
  ['an unrequested extension', (accept) => head(accept, 'Sec-WebSocket-Extensions: permessage-deflate\r\n')],
  ['a head of 200 KB', (accept) => head(accept, `X-Long: ${'x'.repeat(200_000)}\r\n`)],
  ['a 101 that upgrades to nothing', () => 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ['an Upgrade to something else', () => 'HTTP/1.1 101 S\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n'],
]

for (const [what, answer] of HANDSHAKES) {
  test(`B68: a handshake with ${what} is a protocol error, and the connection is closed`, async () => {
    const { outcome, messages } = await meet(answer)
    assert.match(outcome, /^GW_UPSTREAM_/)
    assert.deepEqual(messages, [])
  })
}

const FRAMES: [string, number[], RegExp][] = [
  ['a length of 64 bits', [0x81, 127, 0x7f, 255, 255, 255, 255, 255, 255, 255], /payload length|Max payload/i],
  ['a compressed frame', [0xc1, 1, 0x61], /RSV1/],
  ['a masked frame', [0x81, 0x81, 1, 2, 3, 4, 5], /MASK/],
  ['text that is not UTF-8', [0x81, 2, 0xc3, 0x28], /UTF-8/],
  ['a fragmented ping', [0x09, 0], /FIN/],
  ['an unknown opcode', [0x83, 0], /opcode/],
]

for (const [what, bytes, reason] of FRAMES) {
  test(`B68: ${what} closes the connection`, async () => {
    const { outcome, messages } = await meet((accept) => Buffer.concat([Buffer.from(head(accept)), Buffer.from(bytes)]))
    assert.match(outcome, reason)
    assert.deepEqual(messages, [])
  })
}

test('B68: a server that sends pings and does not read the pongs is disconnected', async () => {
  const pings = Buffer.alloc(127 * 512, Buffer.from([0x89, 125, ...new Array(125).fill(0x61)]))
  // More than the buffers of two sockets.
  const MAX_BYTES = 48 * 1024 * 1024
  let sent = 0
  const flood = (socket: Socket) => {
    socket.pause()
    const more = () => {
      while (sent < MAX_BYTES) {
        sent += pings.length
        if (!socket.write(pings)) return
      }
      socket.destroy()
    }
    socket.on('drain', more)
    more()
  }
  const { outcome } = await meet(head, flood)
  // Newer versions of the library close it themselves.
  assert.match(outcome, /^the server sends pings, and does not read the pongs$|1006/)
  assert.ok(sent < MAX_BYTES, `${sent} bytes of pings were accepted`)
})
