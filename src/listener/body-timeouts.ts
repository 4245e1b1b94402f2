import { ActiveList, type ActiveListItem } from '#http'

/** A request body that is being read. */
export interface TimedBody {
  /** False while the body is paused by back-pressure. */
  readonly isReading: boolean
  readonly received: number
  /** Bytes of the response body sent so far; null before its head. */
  readonly responseBytes: number | null
  onStalled(): void
}

/** Progress of one body. */
export class BodyProgress implements ActiveListItem {
  slot = -1
  readonly body: TimedBody
  readonly startedAt: number
  moved: number
  movedAt: number
  /** Start of the window for the minimum progress of a slow body. */
  windowAt: number
  windowReceived: number

  constructor(body: TimedBody, now: number) {
    this.body = body
    this.startedAt = now
    this.moved = 0
    this.movedAt = now
    this.windowAt = now
    this.windowReceived = 0
  }
}

/** Bytes in each idleTimeout, once a body takes longer than requestTimeout. */
const MIN_PROGRESS = 1024

const MIN_PERIOD = 50
const MAX_PERIOD = 1000

/**
 * Ends requests whose body stalls for the idle timeout, so that they do not occupy upstream connections (decisions,
 * `soTimeout`; threats F9). A body that progresses may take any time; after requestTimeout, progress has a minimum.
 */
export class BodyTimeouts {
  readonly #bodies = new ActiveList<BodyProgress>()
  readonly #idleTimeout: number
  readonly #requestTimeout: number
  readonly #window: number
  readonly #period: number
  #timer: NodeJS.Timeout | null = null

  constructor({ idleTimeout, requestTimeout }: { readonly idleTimeout: number; readonly requestTimeout: number }) {
    this.#idleTimeout = idleTimeout
    this.#requestTimeout = requestTimeout
    this.#window = Number.isFinite(idleTimeout) ? idleTimeout : requestTimeout
    const shortest = Math.min(idleTimeout, requestTimeout)
    this.#period = Math.max(MIN_PERIOD, Math.min(MAX_PERIOD, shortest / 4))
  }

  add(body: TimedBody): BodyProgress {
    const progress = new BodyProgress(body, performance.now())
    this.#bodies.add(progress)
    // Stopped by #check when no body is left: most are complete before it fires.
    this.#timer ??= setInterval(() => this.#check(performance.now()), this.#period).unref()
    return progress
  }

  delete(progress: BodyProgress): void {
    this.#bodies.delete(progress)
  }

  #check(now: number): void {
    if (this.#bodies.size === 0 && this.#timer !== null) {
      clearInterval(this.#timer)
      this.#timer = null
    }
    for (const progress of this.#bodies.all()) if (this.#isStalled(progress, now)) progress.body.onStalled()
  }

  #isStalled(progress: BodyProgress, now: number): boolean {
    const { isReading, received, responseBytes } = progress.body
    const moved = received + (responseBytes ?? 0)
    if (!isReading || moved !== progress.moved) {
      progress.moved = moved
      progress.movedAt = now
    } else if (now - progress.movedAt > this.#idleTimeout) return true
    const isEarly = now - progress.startedAt <= this.#requestTimeout
    if (isEarly || !isReading || responseBytes !== null || received - progress.windowReceived >= MIN_PROGRESS) {
      progress.windowReceived = received
      progress.windowAt = now
      return false
    }
    return now - progress.windowAt > this.#window
  }
}
