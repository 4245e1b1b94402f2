import type { Clock } from '../clock.ts'

/** Reactions to a connection without data. */
interface InactivityEvents {
  /** Nothing was written for a while: the peer would close the connection as inactive. */
  keepAlive(): void
  /** Nothing was received for too long. */
  inactive(): void
}

/** Checks that data arrives within a negotiated duration, and that some is sent well within it. */
export class InactivityMonitor {
  readonly #duration: number
  readonly #clock: Clock
  readonly #events: InactivityEvents
  readonly #timer: NodeJS.Timeout
  #lastReceived: number
  #lastCheck: number
  #hasWritten = false

  /** The peer may send nothing for `initialDelay` at first. */
  constructor(duration: number, initialDelay: number, clock: Clock, events: InactivityEvents) {
    this.#duration = duration
    this.#clock = clock
    this.#events = events
    this.#lastCheck = clock.monotonic()
    this.#lastReceived = this.#lastCheck + initialDelay
    this.#timer = setInterval(() => this.#check(), Math.max(1, duration / 3)).unref()
  }

  received(): void {
    this.#lastReceived = Math.max(this.#lastReceived, this.#clock.monotonic())
  }

  written(): void {
    this.#hasWritten = true
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #check(): void {
    const now = this.#clock.monotonic()
    // After a stall of the event loop skip one check, so that data already in the socket is read first.
    const isLate = now - this.#lastCheck > this.#duration
    this.#lastCheck = now
    if (!isLate && now - this.#lastReceived > this.#duration) this.#events.inactive()
    else if (!this.#hasWritten) this.#events.keepAlive()
    this.#hasWritten = false
  }
}
