import type { Socket } from 'node:net'
import type { Transaction } from '../transaction.ts'

/** From this many on the socket is paused. With fewer it is read, so that a disconnect is detected. */
const PAUSE_AT = 32

/** Limit of pipelined requests: one read can contain many more, and each would take fifty times its bytes in memory. */
const MAX_PIPELINED = 100

/** Pipelined requests of one connection (RFC 9112 section 9.3.2). */
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
    return this.#waiting.length >= MAX_PIPELINED
  }

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

  /** A paused socket stays paused. */
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
    // Node resumes the socket after a drain and when a message begins or ends.
    this.#socket.on('resume', () => {
      if (this.#paused) this.#socket.pause()
    })
  }
}
