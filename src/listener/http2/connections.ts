import type { Socket } from 'node:net'
import type { ListenerContext } from '../listener-context.ts'
import { peerOf } from '../peer.ts'
import { Http2Connection } from './connection.ts'

const MIN_PERIOD = 50
const MAX_PERIOD = 500

/** Milliseconds in which a connection that was accepted in a drain may send requests. */
const LATE_TIME = 500

/** The HTTP/2 connections of a listener. */
export class Http2Connections {
  readonly #context: ListenerContext
  readonly #onEmpty: () => void
  readonly #open = new Set<Http2Connection>()
  readonly #period: number
  #timer: NodeJS.Timeout | null = null

  constructor(context: ListenerContext, onEmpty: () => void) {
    this.#context = context
    this.#onEmpty = onEmpty
    const { keepAliveTimeout, idleTimeout } = context.settings
    const shortest = Math.min(keepAliveTimeout, idleTimeout)
    this.#period = Math.max(MIN_PERIOD, Math.min(MAX_PERIOD, shortest / 4))
  }

  get size(): number {
    return this.#open.size
  }

  add(socket: Socket): void {
    const peer = peerOf(socket, this.#context.trusted)
    const connection = new Http2Connection(socket, peer, this.#context)
    socket.once('close', () => this.#closed(connection))
    this.#open.add(connection)
    this.#timer ??= setInterval(() => this.#checkTimeouts(), this.#period).unref()
    if (this.#context.draining) connection.retireAfter(LATE_TIME)
  }

  /** Announces GOAWAY on every connection; requests of the given time are served. */
  retireAfter(milliseconds: number): void {
    for (const connection of this.#open) connection.retireAfter(milliseconds)
  }

  /** Sends GOAWAY on every connection. */
  retire(): void {
    for (const connection of this.#open) connection.retire()
  }

  destroy(): void {
    for (const connection of this.#open) connection.destroy()
  }

  #closed(connection: Http2Connection): void {
    this.#open.delete(connection)
    if (this.#open.size > 0) return
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
    this.#onEmpty()
  }

  #checkTimeouts(): void {
    const now = performance.now()
    for (const connection of this.#open) connection.checkTimeouts(now)
  }
}
