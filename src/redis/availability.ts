import type { Clock } from '#schema'

/** Answers missing in a row that make Redis count as gone: one alone may be a pause of either side. */
const MISSING_IN_A_ROW = 3
/** While it counts as gone, one command in this time tries whether it is back, in milliseconds. */
const TRY_AGAIN = 1_000

/** What others want to know of it. */
export interface AvailabilityEvents {
  /** Said once, when Redis can no longer be used. */
  lost(problem: string): void
  /** Said once, when it can be used again. */
  found(): void
}

/** Knows whether Redis answers, so that requests do not wait for one that has shown that it does not. */
export class Availability {
  readonly #clock: Clock
  readonly #events: AvailabilityEvents
  #missing = 0
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

  /** An answer did not come in time. */
  missed(problem: string): void {
    if (++this.#missing >= MISSING_IN_A_ROW) this.failed(problem)
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
    this.#missing = 0
    if (!this.#isLost) return
    this.#isLost = false
    this.#events.found()
  }
}
