import type { HealthCheck } from '#contracts'
import type { Logger } from '#logging'
import type { Clock } from '#schema'
import { EVENTS } from '../log-events.ts'

/** Milliseconds over which ends are counted. */
const WINDOW = 60 * 60_000

/** Ends in this time that are no accident. */
const REPEATED = 5

/**
 * Units that ended by a fault within the last hour. A unit that has served for a minute resets the delay before a restart: where a client
 * ends one every minute, each end counts as the first.
 */
export class RecentEnds {
  readonly #logger: Logger
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #window: number
  #times: number[] = []
  #isRepeated = false
  #timer: NodeJS.Timeout | null = null

  constructor(logger: Logger, clock: Pick<Clock, 'monotonic'>, window = WINDOW) {
    this.#logger = logger
    this.#clock = clock
    this.#window = window
  }

  get count(): number {
    const since = this.#clock.monotonic() - this.#window
    this.#times = this.#times.filter((time) => time > since)
    return this.#times.length
  }

  /** Null where units end rarely. */
  get check(): HealthCheck | null {
    const { count } = this
    if (count < REPEATED) return null
    return { name: 'units', ok: true, state: 'degraded', detail: `units ended ${count} times within an hour` }
  }

  add(): void {
    this.#times.push(this.#clock.monotonic())
    const { count } = this
    if (count < REPEATED) return
    if (!this.#isRepeated) this.#logger.error({ ends: count }, EVENTS.UNITS_END_REPEATEDLY)
    this.#isRepeated = true
    this.#lookLater()
  }

  #lookLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      if (this.count >= REPEATED) return this.#lookLater()
      this.#isRepeated = false
      this.#logger.info('units no longer end repeatedly')
    }, this.#window / 10).unref()
  }
}
