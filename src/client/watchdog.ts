import { ActiveList, type ActiveListItem } from '#http'

/** An operation with a deadline in the time of `performance.now()`; `Infinity` while nothing is awaited. */
export interface Watched extends ActiveListItem {
  readonly deadline: number
  expire(): void
}

const SHORTEST_PERIOD = 10
const LONGEST_PERIOD = 500
/** A check that is late by this many periods means that the event loop was stalled. */
const STALLED_PERIODS = 3

/**
 * One timer for all deadlines: moving a deadline, which happens for each chunk, is one assignment. A deadline is detected
 * late by at most an eighth of the shortest time-out or 500 ms, and one period more after an event-loop stall; never early.
 * The process stays alive while an operation is watched, and up to one period longer.
 */
export class Watchdog {
  readonly #watched = new ActiveList<Watched>()
  readonly #period: number
  #timer: NodeJS.Timeout | null = null
  #checkedAt = 0
  #wasStalled = false

  constructor(shortestTimeout: number) {
    this.#period = Math.min(LONGEST_PERIOD, Math.max(SHORTEST_PERIOD, shortestTimeout / 8))
  }

  add(watched: Watched): void {
    this.#watched.add(watched)
    if (this.#timer !== null) return
    this.#checkedAt = performance.now()
    this.#timer = setInterval(() => this.#check(), this.#period)
  }

  delete(watched: Watched): void {
    this.#watched.delete(watched)
  }

  /** Lets the process end, once nothing is watched. */
  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #check(): void {
    const now = performance.now()
    // After an event-loop stall, skip one check so that data already in the sockets is read first.
    this.#wasStalled = !this.#wasStalled && now - this.#checkedAt > STALLED_PERIODS * this.#period
    this.#checkedAt = now
    if (this.#wasStalled) return
    // Timers run before I/O: wait for one poll phase, so that bytes that have arrived count.
    if (this.#watched.some(({ deadline }) => deadline <= now)) setImmediate(() => this.#expire(now))
    if (this.#watched.size > 0 || this.#timer === null) return
    this.stop()
  }

  #expire(now: number): void {
    for (const watched of this.#watched.all()) {
      // It may have been deleted while another one expired.
      if (watched.slot >= 0 && watched.deadline <= now) watched.expire()
    }
  }
}
