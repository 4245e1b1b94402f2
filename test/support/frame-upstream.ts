import type { Socket } from 'node:net'
import { FRAME, frame, framesOf, PREFACE } from './h2-frames.ts'
import { silentUpstream, type Upstream } from './upstream.ts'

/**
 * An HTTP/2 server without TLS that sends the frames of the test for each request head; `count` is that of all connections.
 * It acknowledges no PING.
 */
export function frameUpstream(
  answer: (socket: Socket, stream: number, count: number) => void,
  onPing: (socket: Socket, payload: Buffer) => void = () => {},
): Promise<Upstream> {
  let count = 0
  return silentUpstream((socket) => {
    let received = Buffer.alloc(0)
    let isGreeted = false
    socket.write(frame(FRAME.settings, 0, 0))
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      if (!isGreeted && received.length < PREFACE.length) return
      if (!isGreeted) received = received.subarray(PREFACE.length)
      isGreeted = true
      for (const { type, stream, payload } of framesOf(received)) {
        received = received.subarray(9 + payload.length)
        if (type === FRAME.headers) answer(socket, stream, ++count)
        if (type === FRAME.ping) onPing(socket, payload)
      }
    })
  })
}
