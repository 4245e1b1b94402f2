/** Something that must not wait beyond its deadline, a time of `performance.now()`; `Infinity` when it waits for nothing. */
export interface Watched {
  readonly deadline: number
  expire(): void
}

const SHORTEST_PERIOD = 10
const LONGEST_PERIOD = 500

/**
 * One timer for all that waits: setting a deadline is one assignment, which a timer of its own for each chunk of each
 * body would not be. Deadlines are noticed at most an eighth of the time-out, or half a second, late; never early.
 */
export class Watchdog {
  readonly #watched = new Set<Watched>()
  readonly #period: number
  #timer: NodeJS.Timeout | null = null

  constructor(shortestTimeout: number) {
    this.#period = Math.min(LONGEST_PERIOD, Math.max(SHORTEST_PERIOD, shortestTimeout / 8))
  }

  add(watched: Watched): void {
    this.#watched.add(watched)
    this.#timer ??= setInterval(() => this.#look(), this.#period).unref()
  }

  delete(watched: Watched): void {
    this.#watched.delete(watched)
  }

  #look(): void {
    const now = performance.now()
    for (const watched of this.#watched) if (watched.deadline <= now) watched.expire()
    if (this.#watched.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}
