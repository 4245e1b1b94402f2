/** Exponential back-off with jitter of up to one half. */
export class RetryDelay {
  readonly #shortest: number
  readonly #longest: number
  readonly #random: () => number
  #next: number

  constructor(shortest: number, longest: number, random: () => number = Math.random) {
    this.#shortest = shortest
    this.#longest = longest
    this.#random = random
    this.#next = shortest
  }

  /** Milliseconds until the next attempt; each call doubles them. */
  next(): number {
    const delay = this.#next
    this.#next = Math.min(delay * 2, this.#longest)
    return delay * (1 - this.#random() / 2)
  }

  reset(): void {
    this.#next = this.#shortest
  }
}
