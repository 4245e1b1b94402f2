import type { Socket } from 'node:net'
import { MAX_TIMER_DELAY } from '#schema'
import { type ConnectionOwner, Http1Connection } from './http1/connection.ts'
import { type Http1Context, http1Context } from './http1/connection-context.ts'
import { Http2Connections } from './http2/connections.ts'
import type { ListenerContext } from './listener-context.ts'
import { peerOf } from './peer.ts'

// Time a connection that sent nothing can delay a drain.
const UNUSED_TIME = 1000

// Time in which a client may use an idle connection that is handed over, so that its request does not meet the close.
const HANDOVER_IDLE_TIME = 500

// Time for the close frames of upgraded connections at the end of the grace period.
const UPGRADED_CLOSE_TIME = 1000

/** The client connections of a listener in both versions of HTTP, from their acceptance to the end of a drain. */
export class OpenConnections implements ConnectionOwner {
  readonly http2: Http2Connections
  readonly #context: ListenerContext
  readonly #http1Context: Http1Context
  readonly #http1 = new Set<Http1Connection>()
  /** Closes connections whose TLS handshake is not complete. */
  readonly #destroyHandshakes: () => void
  /** Drains that wait for the last connection to close. */
  readonly #emptyWaiters = new Set<() => void>()

  constructor(context: ListenerContext, destroyHandshakes: () => void) {
    this.#context = context
    this.#http1Context = http1Context(context)
    this.#destroyHandshakes = destroyHandshakes
    this.http2 = new Http2Connections(context, () => this.#onClosed())
  }

  get size(): number {
    return this.#http1.size + this.http2.size
  }

  get isEmpty(): boolean {
    return this.#http1.size === 0 && this.http2.size === 0
  }

  /** A connection of HTTP/1.1. */
  add(socket: Socket): void {
    this.#http1.add(new Http1Connection(socket, peerOf(socket, this.#context.trusted), this.#http1Context, this))
  }

  onHttp1Closed(connection: Http1Connection): void {
    if (this.#http1.delete(connection)) this.#onClosed()
  }

  onPreface(connection: Http1Connection, bytes: Buffer): void {
    const { socket } = connection
    this.#http1.delete(connection)
    // A client of HTTP/2 that ends its side has disconnected, as over TLS.
    socket.once('end', () => socket.destroy())
    socket.pause()
    socket.unshift(bytes)
    this.http2.add(socket)
  }

  /** Closes idle connections; those in use may end their requests. */
  retire(): void {
    for (const connection of this.#http1) connection.retire()
    this.http2.retire()
  }

  /** Another process or unit accepts connections: idle ones have a short time for a further request, upgraded ones the grace period. */
  async handOver(gracePeriodMs: number): Promise<void> {
    const idleTime = Math.min(HANDOVER_IDLE_TIME, gracePeriodMs)
    this.http2.retireAfter(idleTime)
    const idle = setTimeout(() => {
      for (const connection of this.#http1) if (connection.isIdleKeepAlive) connection.retire()
    }, idleTime)
    await this.whenEmpty(gracePeriodMs)
    clearTimeout(idle)
    this.#context.keepsUpgraded = false
    this.retire()
    if (this.#hasUpgraded) await this.whenEmpty(UPGRADED_CLOSE_TIME)
  }

  /** Resolves when all connections are closed, or the time is over; those that sent nothing are closed before. */
  async whenEmpty(gracePeriodMs: number): Promise<void> {
    if (this.isEmpty) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = setTimeout(resolve, Math.min(gracePeriodMs, MAX_TIMER_DELAY))
    const unused = setTimeout(() => this.#closeUnused(), Math.min(UNUSED_TIME, gracePeriodMs / 2))
    this.#emptyWaiters.add(resolve)
    await promise
    clearTimeout(end)
    clearTimeout(unused)
    this.#emptyWaiters.delete(resolve)
  }

  destroy(): void {
    for (const { socket } of this.#http1) socket.destroy()
    this.http2.destroy()
    this.#destroyHandshakes()
  }

  get #hasUpgraded(): boolean {
    return [...this.#http1].some(({ isUpgraded }) => isUpgraded)
  }

  #closeUnused(): void {
    for (const { socket, isIdle } of this.#http1) if (isIdle && socket.bytesRead === 0) socket.destroy()
    this.#destroyHandshakes()
  }

  #onClosed(): void {
    if (!this.isEmpty) return
    for (const resolve of this.#emptyWaiters) resolve()
  }
}
