import type { RotationPlan } from './file-plan.ts'
import type { TrailClock } from './trail-env.ts'

const DAY = 86_400_000

/** When the active file is rotated because of the time. */
export class RotationSchedule {
  readonly #interval: number
  readonly #times: readonly number[]
  readonly #clock: TrailClock
  /** On the monotonic clock: setting the wall clock does not change the age of a file. */
  #begun = 0
  #next = Number.POSITIVE_INFINITY
  #lastNow = 0

  constructor({ interval, times }: RotationPlan, clock: TrailClock) {
    this.#interval = interval
    this.#times = times
    this.#clock = clock
  }

  /** A file was opened that was begun at a time, maybe by an earlier process. */
  start(begun: number): void {
    const now = this.#clock.now()
    this.#begun = this.#clock.monotonic() - Math.max(now - begun, 0)
    this.#next = this.#after(Math.min(begun, now))
    this.#lastNow = now
  }

  get isDue(): boolean {
    const now = this.#clock.now()
    // The clock was set back: the next of the times is nearer than it was.
    if (now < this.#lastNow) this.#next = this.#after(now)
    this.#lastNow = now
    return now >= this.#next || this.#clock.monotonic() - this.#begun >= this.#interval
  }

  /** The first of the times of day after a moment. */
  #after(moment: number): number {
    const midnight = Math.floor(moment / DAY) * DAY
    const candidates = this.#times.flatMap((time) => [midnight + time, midnight + DAY + time])
    return Math.min(...candidates.filter((time) => time > moment), Number.POSITIVE_INFINITY)
  }
}
