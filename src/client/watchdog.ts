import { Attendance, type Attendee } from '#http'

/** Something that must not wait beyond its deadline, a time of `performance.now()`; `Infinity` when it waits for nothing. */
export interface Watched extends Attendee {
  readonly deadline: number
  expire(): void
}

const SHORTEST_PERIOD = 10
const LONGEST_PERIOD = 500
/** So many periods between two looks are more than the timers of an ordinary moment take. */
const HELD_UP = 3

/**
 * One timer for all that waits: setting a deadline is one assignment, which a timer of its own for each chunk of each
 * body would not be. Deadlines are noticed at most an eighth of the time-out, or half a second, late, or by one look more where the thread was held up; never early.
 */
export class Watchdog {
  readonly #watched = new Attendance<Watched>()
  readonly #period: number
  #timer: NodeJS.Timeout | null = null
  #lookedAt = 0
  #wasHeldUp = false

  constructor(shortestTimeout: number) {
    this.#period = Math.min(LONGEST_PERIOD, Math.max(SHORTEST_PERIOD, shortestTimeout / 8))
  }

  add(watched: Watched): void {
    this.#watched.enter(watched)
    if (this.#timer !== null) return
    this.#lookedAt = performance.now()
    this.#timer = setInterval(() => this.#look(), this.#period).unref()
  }

  delete(watched: Watched): void {
    this.#watched.leave(watched)
  }

  #look(): void {
    const now = performance.now()
    // A thread that was held up has let nobody do his part: it looks once more before it gives anybody up.
    this.#wasHeldUp = !this.#wasHeldUp && now - this.#lookedAt > HELD_UP * this.#period
    this.#lookedAt = now
    if (this.#wasHeldUp) return
    // Timers come before sockets: bytes that arrived while this thread was busy are read before anybody is given up.
    if (this.#watched.some(({ deadline }) => deadline <= now)) setImmediate(() => this.#expire(now))
    if (this.#watched.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  #expire(now: number): void {
    for (const watched of this.#watched.all()) {
      // One that was let go while another expired is nobody's concern any more.
      if (watched.slot >= 0 && watched.deadline <= now) watched.expire()
    }
  }
}
