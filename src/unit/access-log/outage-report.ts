import type { StateReporter } from '#heap'
import type { Logger } from '#logging'
import type { Clock } from '#schema'
import { EVENTS } from '../log-events.ts'

/** Milliseconds of the shortest outage: failures that end and begin again are one, so that they are two log entries at most. */
const SHORTEST_OUTAGE = 10_000

interface OutageInput {
  readonly destination: string
  readonly clock: Clock
  readonly logger: Logger
  readonly states: StateReporter
}

/** Log and health of a destination of access lines: each outage is reported when it begins, and with its lost lines at its end. */
export class OutageReport {
  /** Lost lines since the start. */
  lost = 0
  readonly #input: OutageInput
  #reported = 0
  /** Begin of the outage, on the monotonic clock; null without one. */
  #since: number | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(input: OutageInput) {
    this.#input = input
  }

  /** A write failed: its lines are buffered. */
  failed(error: Error): void {
    this.#begin(
      { error },
      'the access log can not be written: its lines are buffered, and dropped when the buffer is full',
    )
  }

  /** Lines were given up. */
  lose(lines: number): void {
    this.lost += lines
    this.#begin({}, 'access lines are dropped: their destination is slower than the traffic')
  }

  /** All buffered lines are written. */
  drained(): void {
    if (this.#since === null || this.#timer !== null) return
    const left = this.#since + SHORTEST_OUTAGE - this.#input.clock.monotonic()
    if (left <= 0) this.#recover()
    else this.#timer = setTimeout(() => this.#recover(), left).unref()
  }

  /** Reports the lines that were lost until the end of the unit. */
  close(): void {
    if (this.#since !== null) this.#end()
  }

  #begin(fields: { readonly error?: Error }, message: string): void {
    this.#stopTimer()
    if (this.#since !== null) return
    const { destination, clock, logger } = this.#input
    this.#since = clock.monotonic()
    logger.warn({ destination, ...fields }, EVENTS.ACCESS_LOG_FAILING.withMessage(message))
    this.#state('degraded', message)
  }

  #recover(): void {
    this.#end()
    this.#state('up', 'access lines are written')
  }

  #end(): void {
    this.#stopTimer()
    this.#since = null
    const { destination, logger } = this.#input
    const lines = this.lost - this.#reported
    this.#reported = this.lost
    if (lines > 0) logger.warn({ destination, lines }, EVENTS.ACCESS_LINES_LOST)
    else logger.info({ destination }, 'the access log is written again, and no line was lost')
  }

  #state(state: 'up' | 'degraded', detail: string): void {
    this.#input.states.report({ object: 'accessLog', segments: [], state, detail })
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }
}
