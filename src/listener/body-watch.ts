import { ActiveList, type ActiveListItem } from '#http'

/** A request body that somebody reads, as the watch sees it. */
export interface AwaitedBody {
  /** Whether the client is waited for, as opposed to those who take the bytes. */
  readonly isAwaited: boolean
  /** Bytes received so far. */
  readonly received: number
  /** Bytes of the response sent so far; null before it has begun. */
  readonly answered: number | null
  /** Ends the request: its body does not come. */
  stall(): void
}

/** A body in the list of a watch. */
export class WatchedBody implements ActiveListItem {
  slot = -1
  readonly body: AwaitedBody
  readonly startedAt: number
  moved: number
  movedAt: number
  /** The window in which a body that has taken long must bring a minimum. */
  windowAt: number
  windowReceived: number

  constructor(body: AwaitedBody, now: number) {
    this.body = body
    this.startedAt = now
    this.moved = 0
    this.movedAt = now
    this.windowAt = now
    this.windowReceived = 0
  }
}

/** Bytes that a body must bring in each idleTimeout once it has taken longer than requestTimeout. */
const LEAST_PROGRESS = 1024

const SHORTEST_PERIOD = 50
const LONGEST_PERIOD = 1000

/**
 * Ends requests whose body stops for the idle time, so that they do not hold connections to the upstream (decisions,
 * `soTimeout`; threats F9). A body that moves is not cut, however long it takes; one of next to nothing does not count as
 * moving.
 */
export class BodyWatch {
  readonly #bodies = new ActiveList<WatchedBody>()
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
    this.#period = Math.max(SHORTEST_PERIOD, Math.min(LONGEST_PERIOD, shortest / 4))
  }

  add(body: AwaitedBody): WatchedBody {
    const watched = new WatchedBody(body, performance.now())
    this.#bodies.add(watched)
    // It ends when it finds nothing to watch: most bodies are whole before it fires.
    this.#timer ??= setInterval(() => this.#check(performance.now()), this.#period).unref()
    return watched
  }

  delete(watched: WatchedBody): void {
    this.#bodies.delete(watched)
  }

  #check(now: number): void {
    if (this.#bodies.size === 0 && this.#timer !== null) {
      clearInterval(this.#timer)
      this.#timer = null
    }
    for (const watched of this.#bodies.all()) if (this.#isStalled(watched, now)) watched.body.stall()
  }

  #isStalled(watched: WatchedBody, now: number): boolean {
    const { isAwaited, received, answered } = watched.body
    const moved = received + (answered ?? 0)
    if (!isAwaited || moved !== watched.moved) {
      watched.moved = moved
      watched.movedAt = now
    } else if (now - watched.movedAt > this.#idleTimeout) return true
    const isEarly = now - watched.startedAt <= this.#requestTimeout
    if (isEarly || !isAwaited || answered !== null || received - watched.windowReceived >= LEAST_PROGRESS) {
      watched.windowReceived = received
      watched.windowAt = now
      return false
    }
    return now - watched.windowAt > this.#window
  }
}
