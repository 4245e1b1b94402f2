import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import type { Load, LoadOptions } from './load.ts'
import type { Subject } from './measure.ts'

/** Connections at a time: the load generator has one core. */
const CONCURRENT = 8

/** A key exchange that all measured servers have. */
const GROUP = 'X25519'

/**
 * A load of new connections with one request each, by TLS 1.3: with a full handshake, or with a session of the connection
 * before. A handshake of the other kind is an error.
 */
export function handshakes(kind: 'full' | 'resumed'): NonNullable<Subject['load']> {
  return async (url: string, { seconds }: LoadOptions): Promise<Load> => {
    // One for all connections: creating it takes longer than a handshake.
    const context = createSecureContext({ ecdhCurve: GROUP, minVersion: 'TLSv1.3' })
    const started = performance.now()
    const until = started + seconds * 1000
    let [requests, errors] = [0, 0]
    const client = async (): Promise<void> => {
      let { session } = await visit(url, context, undefined)
      while (performance.now() < until) {
        const visited = await visit(url, context, kind === 'resumed' ? session : undefined)
        session = visited.session
        if (visited.isAnswered && visited.isResumed === (kind === 'resumed')) requests++
        else errors++
      }
    }
    await Promise.all(Array.from({ length: CONCURRENT }, client))
    return { requests, errors, seconds: (performance.now() - started) / 1000 }
  }
}

interface Visit {
  readonly session: Buffer | undefined
  readonly isResumed: boolean
  readonly isAnswered: boolean
}

/** One connection with one request. */
function visit(url: string, secureContext: SecureContext, session: Buffer | undefined): Promise<Visit> {
  const { hostname, port, pathname } = new URL(url)
  return new Promise((resolve) => {
    let received = session
    let [isResumed, isAnswered] = [false, false]
    const socket: TLSSocket = connect({
      host: hostname,
      port: Number(port),
      rejectUnauthorized: false,
      secureContext,
      session,
    })
    // The request would wait for the acknowledgement of the handshake's last packet.
    socket.setNoDelay(true)
    socket.setTimeout(5_000, () => socket.destroy())
    socket.once('secureConnect', () => {
      isResumed = socket.isSessionReused()
    })
    socket.on('session', (next) => {
      received = next
    })
    socket.once('data', (chunk: Buffer) => {
      isAnswered = chunk.toString('latin1', 0, 12) === 'HTTP/1.1 200'
    })
    socket.on('error', () => {})
    socket.once('close', () => resolve({ session: received, isResumed, isAnswered }))
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  })
}
