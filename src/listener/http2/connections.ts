import type { TLSSocket } from 'node:tls'
import { peerOf } from '../peer.ts'
import type { Service } from '../service.ts'
import { Http2Connection } from './connection.ts'

const SHORTEST_PERIOD = 50
const LONGEST_PERIOD = 500

/** The HTTP/2 connections of a listener. */
export class Http2Connections {
  readonly #service: Service
  readonly #onEmpty: () => void
  readonly #open = new Set<Http2Connection>()
  readonly #period: number
  #timer: NodeJS.Timeout | null = null

  constructor(service: Service, onEmpty: () => void) {
    this.#service = service
    this.#onEmpty = onEmpty
    const { keepAliveTimeout, idleTimeout } = service.settings
    const shortest = Math.min(keepAliveTimeout, idleTimeout)
    this.#period = Math.max(SHORTEST_PERIOD, Math.min(LONGEST_PERIOD, shortest / 4))
  }

  get size(): number {
    return this.#open.size
  }

  add(socket: TLSSocket): void {
    const peer = peerOf(socket, this.#service.trusted)
    const connection = new Http2Connection(socket, peer, this.#service)
    socket.once('close', () => this.#closed(connection))
    this.#open.add(connection)
    this.#timer ??= setInterval(() => this.#checkTimeouts(), this.#period).unref()
    if (this.#service.draining) connection.retire()
  }

  /** Tells every client that no further request is taken. */
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
