/** One load in flight. */
export interface Flight {
  /** Number of the last invalidation before the load. */
  since: number
  /** Invalidations may have been missed, or were too many to record: the result must not be cached. */
  isStale: boolean
}

/** Invalidated tags that are recorded while loads are in flight; beyond this number all of these loads are stale. */
const MAX_TAGS = 20_000

/**
 * Loads in flight, one for each key, and the invalidations that race with them: a value may be read before, and arrive after,
 * the notification that invalidates it (threats B57).
 */
export class SingleFlight<R> {
  readonly #byKey = new Map<string, Promise<R>>()
  readonly #flights = new Set<Flight>()
  /** Number of the last invalidation by tag. */
  readonly #invalidated = new Map<string, number>()
  #invalidations = 0

  get size(): number {
    return this.#flights.size
  }

  get(key: string): Promise<R> | null {
    return this.#byKey.get(key) ?? null
  }

  /** Failures reach all callers that wait and are not cached (threats B61). */
  start(key: string, load: (flight: Flight) => Promise<R>): Promise<R> {
    const flight: Flight = { since: this.#invalidations, isStale: false }
    this.#flights.add(flight)
    const result = load(flight).finally(() => {
      this.#flights.delete(flight)
      if (this.#byKey.get(key) === result) this.#byKey.delete(key)
      if (this.#flights.size === 0) this.#invalidated.clear()
    })
    this.#byKey.set(key, result)
    return result
  }

  invalidate(tag: string): void {
    this.#invalidations++
    if (this.#flights.size === 0) return
    if (this.#invalidated.size >= MAX_TAGS) {
      for (const flight of this.#flights) flight.isStale = true
      this.#invalidated.clear()
    }
    this.#invalidated.set(tag, this.#invalidations)
  }

  /** Whether one of the tags was invalidated since the load was started. */
  isInvalidated(flight: Flight, tags: readonly string[]): boolean {
    if (this.#invalidated.size === 0) return false
    return tags.some((tag) => (this.#invalidated.get(tag) ?? -1) > flight.since)
  }

  /** Called before the load is repeated: earlier invalidations no longer apply. */
  restart(flight: Flight): void {
    flight.since = this.#invalidations
  }

  /** All loads in flight are stale, and later callers do not join them. */
  abandon(): void {
    for (const flight of this.#flights) flight.isStale = true
    this.#byKey.clear()
  }
}
