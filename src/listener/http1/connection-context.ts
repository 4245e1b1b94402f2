import type { ListenerContext } from '../listener-context.ts'
import { connectionTimeouts, type TimeoutWheel } from './timeout-wheel.ts'

/** Time for a refused client to read its response: an immediate reset would discard it. */
const LINGER_TIME = 1000

/** A client may send a request until the announced time, and it arrives later. */
const KEEP_ALIVE_MARGIN = 1000

/** Samples of moved bytes in an idle time. */
const SAMPLES = 4

/** Time limits of connections, in ticks of the wheel. */
interface ConnectionLimits {
  /** For a request head. */
  readonly head: number
  /** Between requests. */
  readonly keepAlive: number
  /** Without a byte in either direction. */
  readonly idle: number
  /** Between two looks at a connection with a request. */
  readonly sample: number
  readonly linger: number
}

/** What the connections of a listener share. */
export interface Http1Context {
  readonly listener: ListenerContext
  readonly wheel: TimeoutWheel
  readonly limits: ConnectionLimits
  /** Field lines of responses after which the connection stays open. */
  readonly keepAliveLines: string
  /** Whether a connection may begin with the preface of HTTP/2. */
  readonly expectsPreface: boolean
}

export function http1Context(listener: ListenerContext): Http1Context {
  const {
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    idleTimeout,
    tls,
    http2ClearText = true,
  } = listener.settings
  const wheel = connectionTimeouts
  const idle = wheel.ticks(idleTimeout)
  const isBounded = Number.isFinite(keepAliveTimeout) && keepAliveTimeout > 0
  const seconds = isBounded ? `Keep-Alive: timeout=${Math.floor(keepAliveTimeout / 1000)}\r\n` : ''
  return {
    listener,
    wheel,
    limits: {
      head: wheel.ticks(Math.min(headersTimeout, requestTimeout)),
      keepAlive: isBounded ? wheel.ticks(keepAliveTimeout + KEEP_ALIVE_MARGIN) : idle,
      idle,
      sample: Math.ceil(idle / SAMPLES),
      linger: wheel.ticks(LINGER_TIME),
    },
    keepAliveLines: `Connection: keep-alive\r\n${seconds}`,
    // RFC 9113 section 3.3: over TLS, HTTP/2 is chosen by ALPN alone.
    expectsPreface: http2ClearText && (tls === undefined || tls === null),
  }
}
