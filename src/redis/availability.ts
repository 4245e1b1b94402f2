import type { Clock } from '#schema'

/** Timeouts in a row that make Redis count as gone: one alone may be a pause of either side. */
const TIMEOUTS_IN_A_ROW = 3
/** While it counts as gone, one command in this time tries whether it is back, in milliseconds. */
const TRY_AGAIN = 1_000

/** What others want to know of it. */
export interface AvailabilityEvents {
  /** Called once when Redis becomes unavailable. */
  lost(problem: string): void
  /** Called once when it is available again. */
  found(): void
}

/** Tracks whether Redis answers, so that requests do not wait for an unresponsive server. */
export class Availability {
  readonly #clock: Clock
  readonly #events: AvailabilityEvents
  #timeouts = 0
  #lastTimeout = 0
  #isLost = false
  #nextTry = 0

  constructor(clock: Clock, events: AvailabilityEvents) {
    this.#clock = clock
    this.#events = events
  }

  /** Whether it counts as gone. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** Whether a command may be sent now; where Redis is lost, one caller in a while may. */
  allows(): boolean {
    if (!this.#isLost) return true
    const now = this.#clock.monotonic()
    if (now < this.#nextTry) return false
    this.#nextTry = now + TRY_AGAIN
    return true
  }

  /** A command sent at a time of the monotonic clock was not answered in time, or with an error. */
  missed(problem: string, sentAt: number): void {
    // Commands that were sent together time out together: one pause, however many requests there were.
    if (this.#timeouts > 0 && sentAt < this.#lastTimeout) return
    this.#lastTimeout = this.#clock.monotonic()
    if (++this.#timeouts >= TIMEOUTS_IN_A_ROW) this.failed(problem)
  }

  /** There is no use in asking. */
  failed(problem: string): void {
    if (this.#isLost) return
    this.#isLost = true
    this.#nextTry = this.#clock.monotonic() + TRY_AGAIN
    this.#events.lost(problem)
  }

  /** Redis has answered, or is connected again. */
  succeeded(): void {
    this.#timeouts = 0
    if (!this.#isLost) return
    this.#isLost = false
    this.#events.found()
  }
}
