import { type Clock, systemClock } from '#schema'

/** A clock with an offset to another one, which can be advanced. */
export class OffsetClock implements Clock {
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

  advance(milliseconds: number): void {
    if (!(milliseconds >= 0))
      throw new Error(`advance: expected a positive number of milliseconds, got ${milliseconds}`)
    this.#ahead += milliseconds
  }
}
