import type { QueueClock } from './queue-bounds.ts'

/** End of the time in which a delivery closes; it may become earlier meanwhile. */
export class CloseDeadline {
  /** Resolves at the end of the time. */
  readonly reached: Promise<void>
  readonly #clock: QueueClock
  readonly #reach: () => void
  #end = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | null = null

  constructor(limit: number, clock: QueueClock) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.reached = promise
    this.#reach = resolve
    this.#clock = clock
    this.shorten(limit)
  }

  /** Milliseconds. */
  get left(): number {
    return Math.max(0, this.#end - this.#clock.monotonic())
  }

  /** Ends the time within the limit in milliseconds, where it would not end sooner. */
  shorten(limit: number): void {
    const end = this.#clock.monotonic() + limit
    if (end >= this.#end) return
    this.#end = end
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#reach, limit)
  }

  /** It is never reached from now on. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#end = Number.NEGATIVE_INFINITY
  }
}
