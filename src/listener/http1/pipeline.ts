import type { Socket } from 'node:net'
import type { Transaction } from '../transaction.ts'

/** With so many waiting the socket is not read. With fewer it is, so that a client that goes away is noticed. */
const PAUSE_AT = 32

/** One read can bring many more; those are not taken. Each takes fifty times its bytes in memory. */
const MAX_WAITING = 100

/** Requests of one connection that wait until the one before them is answered (RFC 9112 section 9.3.2). */
export class Pipeline {
  readonly #socket: Socket
  readonly #waiting: Transaction[] = []
  #paused = false
  #listening = false

  constructor(socket: Socket) {
    this.#socket = socket
  }

  get size(): number {
    return this.#waiting.length
  }

  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING
  }

  /** Whether the socket is not read because of those that wait. */
  get isPaused(): boolean {
    return this.#paused
  }

  push(transaction: Transaction): void {
    this.#waiting.push(transaction)
    if (this.#waiting.length >= PAUSE_AT) this.#pause()
  }

  shift(): Transaction | undefined {
    const next = this.#waiting.shift()
    if (this.#waiting.length < PAUSE_AT) this.resume()
    return next
  }

  /** Drops what waits; a paused socket stays paused. */
  clear(): void {
    this.#waiting.length = 0
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#socket.resume()
  }

  #pause(): void {
    if (this.#paused) return
    this.#paused = true
    this.#socket.pause()
    if (this.#listening) return
    this.#listening = true
    // Node resumes a socket by itself, after a drain and when a message begins or ends.
    this.#socket.on('resume', () => {
      if (this.#paused) this.#socket.pause()
    })
  }
}
