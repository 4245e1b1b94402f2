import type { Clock } from '#schema'

/** Consecutive timeouts after which a server counts as lost: a single one may be a pause of either side. */
const TIMEOUTS_IN_A_ROW = 3
/** Milliseconds between the commands that are sent to a lost server to check whether it has recovered. */
const RETRY_INTERVAL = 1_000

/** Problem of a connection that ended without an error. */
export const CONNECTION_CLOSED = 'the connection was closed'

export interface AvailabilityEvents {
  /** Called once when Redis becomes unavailable. */
  onLost(problem: string): void
  /** Called for each further problem until it is available again; it may be another one, such as a rejected password. */
  onFailedAgain(problem: string): void
  /** Called once when it is available again. */
  onRecovered(): void
}

/** Tracks whether a server responds, so that requests do not wait for an unresponsive one. */
export class Availability {
  readonly #clock: Clock
  readonly #events: AvailabilityEvents
  #timeouts = 0
  #lastTimeout = 0
  #isLost = false
  #isReadOnly = false
  #nextTry = 0

  constructor(clock: Clock, events: AvailabilityEvents) {
    this.#clock = clock
    this.#events = events
  }

  get isLost(): boolean {
    return this.#isLost
  }

  /** Whether the server counts as lost because it rejects writes; it responds, so that reads are still sent. */
  get isReadOnly(): boolean {
    return this.#isReadOnly
  }

  /** Whether a command may be sent now; to a lost server, one per RETRY_INTERVAL. */
  allows(): boolean {
    if (!this.#isLost || this.#isReadOnly) return true
    const now = this.#clock.monotonic()
    if (now < this.#nextTry) return false
    this.#nextTry = now + RETRY_INTERVAL
    return true
  }

  /** A command timed out or got an error reply; `sentAt` is a time of the monotonic clock. */
  missed(problem: string, sentAt: number): void {
    // Concurrent commands time out together and count as one timeout.
    if (this.#timeouts > 0 && sentAt < this.#lastTimeout) return
    this.#lastTimeout = this.#clock.monotonic()
    if (++this.#timeouts < TIMEOUTS_IN_A_ROW) return
    this.#isReadOnly = false
    this.failed(problem)
  }

  /** The server is lost at once: its connection failed. */
  failed(problem: string): void {
    if (this.#isLost) {
      this.#events.onFailedAgain(problem)
      return
    }
    this.#isLost = true
    this.#nextTry = this.#clock.monotonic() + RETRY_INTERVAL
    this.#events.onLost(problem)
  }

  /** The server rejects writes, as a replica does: a new connection to it, or a read, is no recovery. */
  rejectedWrite(problem: string): void {
    this.#timeouts = 0
    this.#isReadOnly = true
    if (!this.#isLost) this.failed(problem)
  }

  /** Its connection was closed, which is no news of a lost server. */
  closed(): void {
    if (!this.#isLost) this.failed(CONNECTION_CLOSED)
  }

  /** The server responded, or is connected again. */
  succeeded(): void {
    this.#timeouts = 0
    this.#isReadOnly = false
    if (!this.#isLost) return
    this.#isLost = false
    this.#events.onRecovered()
  }
}
