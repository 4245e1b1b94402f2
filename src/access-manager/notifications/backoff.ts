const GROWTH = 1.5
const MOST = 3

/** Pauses between attempts that grow from the base to three times as much, each shortened by up to a half by chance. */
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
    const full = this.#base * Math.min(MOST, GROWTH ** this.#failures++)
    return full * (0.5 + this.#random() / 2)
  }

  reset(): void {
    this.#failures = 0
  }
}
