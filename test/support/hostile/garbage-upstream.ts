import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { sendRequest } from '../send-request.ts'
import { rawUpstream, type Upstream } from '../upstream.ts'
import type { Attack } from './attack.ts'

const OK = 'HTTP/1.1 200 OK\r\n'

/** Responses of a broken server; each leaves the connection as it is. */
const RESPONSES: readonly ((socket: Socket) => void)[] = [
  (socket) => socket.write(randomBytes(1_000)),
  (socket) => socket.write('HTTP/1.1 1000 What\r\n\r\n'),
  (socket) => socket.write(`${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`),
  (socket) => socket.write(`${OK}Content-Length: 100\r\n\r\nshort`, () => socket.destroy()),
  (socket) => socket.write(`${OK}Content-Length: 2\r\n\r\nlonger than it says`),
  (socket) => socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx`),
  (socket) => socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhelloXX`),
  (socket) => socket.write(`${OK}X: ${'x'.repeat(100_000)}\r\n\r\n`),
  (socket) => socket.write(`${OK}${'A: b\r\n'.repeat(5_000)}\r\n`),
  (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000)),
  (socket) => socket.write(`${OK}Content-Length: 2\r\n\r\nok${OK}Content-Length: 2\r\n\r\nno`),
  (socket) => socket.write(`${OK}Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello`),
  (socket) => socket.end(),
  (socket) => socket.resetAndDestroy(),
  (socket) => socket.write('HTTP/1.1 200', () => setTimeout(() => socket.destroy(), 500)),
]

/** A server that answers every request with another kind of garbage. */
export function garbageUpstream(): Promise<Upstream> {
  let turn = 0
  return rawUpstream((socket) => RESPONSES[turn++ % RESPONSES.length]?.(socket))
}

/** Clients of routes whose upstream is broken. */
export const garbageResponses: Attack = {
  name: 'garbage upstreams',
  clients: 2,
  async turn({ port }, round) {
    const signal = AbortSignal.timeout(2_000)
    const path = round % 2 === 0 ? '/garbage' : '/garbage/buffered'
    await sendRequest(`http://127.0.0.1:${port}${path}`, { signal }).catch(() => {})
  },
}
