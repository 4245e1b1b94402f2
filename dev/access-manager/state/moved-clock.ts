import { type Clock, systemClock } from '#schema'

/** A clock that can be put forward without touching the one it goes by. */
export class MovedClock implements Clock {
  readonly #base: Clock
  #ahead = 0

  constructor(base: Clock = systemClock) {
    this.#base = base
  }

  now(): number {
    return this.#base.now() + this.#ahead
  }

  monotonic(): number {
    return this.#base.monotonic() + this.#ahead
  }

  /** Puts it forward. */
  advance(milliseconds: number): void {
    if (!(milliseconds >= 0))
      throw new Error(`advance: expected a positive number of milliseconds, got ${milliseconds}`)
    this.#ahead += milliseconds
  }
}
