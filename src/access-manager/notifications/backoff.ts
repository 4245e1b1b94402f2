const GROWTH = 1.5
const MAX_FACTOR = 3

/** Exponential backoff from the base to three times the base, with jitter of up to one half. */
export class Backoff {
  readonly #base: number
  readonly #random: () => number
  #failures = 0

  constructor(base: number, random: () => number = Math.random) {
    this.#base = base
    this.#random = random
  }

  /** The pause before the next attempt, in milliseconds. */
  next(): number {
    const full = this.#base * Math.min(MAX_FACTOR, GROWTH ** this.#failures++)
    return full * (0.5 + this.#random() / 2)
  }

  reset(): void {
    this.#failures = 0
  }
}
