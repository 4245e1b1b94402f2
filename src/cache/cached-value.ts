import { type Clock, systemClock } from '#schema'

/** All times are milliseconds on the monotonic clock. */
export interface CachedValueSettings<T> {
  readonly clock?: Clock
  /** From the start of the load; without it the value is fresh until it is invalidated. */
  readonly ttl?: number | ((value: T) => number)
  /** Time after the TTL, or an invalidation, during which the last value is returned while loads fail. */
  readonly staleTtl?: number
  /** Pause after a failed load during which no other load is started; default 0. */
  readonly failurePause?: number | ((error: Error) => number)
  /** Age of a pending load at which a second one is started beside it. */
  readonly hedgeAfter?: number
  load(): Promise<T>
  /** `previous` is the last value, fresh or not. */
  onLoaded?(value: T, previous: T | null): void
  /** `previous` is the last failure, if no load has succeeded since; `usableFor` the time for which the last value is still used. */
  onFailure?(error: Error, previous: Error | null, usableFor: number): void
  /** Called by the first load that succeeds after a failure, before `onLoaded`. */
  onRecovery?(): void
}

const IMMEDIATELY = Number.NEGATIVE_INFINITY

interface Entry<T> {
  readonly value: T
  freshUntil: number
  staleUntil: number
}

/**
 * A value with a TTL, loaded on first use. Concurrent callers share one load. While loads fail, a stale value is returned at
 * once and reloaded in the background.
 */
export class CachedValue<T> {
  readonly #settings: CachedValueSettings<T>
  readonly #clock: Clock
  #entry: Entry<T> | null = null
  #failure: { readonly error: Error; retryAt: number } | null = null
  #loading: { readonly startedAt: number; readonly promise: Promise<T> } | null = null
  #refreshing: Promise<void> | null = null
  #loads = 0
  /** Results of this load and those before it are dropped: a later one succeeded, or the value was invalidated. */
  #superseded = 0

  constructor(settings: CachedValueSettings<T>) {
    this.#settings = settings
    this.#clock = settings.clock ?? systemClock
  }

  /** The value while it is fresh. */
  get fresh(): T | null {
    const entry = this.#entry
    return entry !== null && this.#clock.monotonic() < entry.freshUntil ? entry.value : null
  }

  /** The last value, however old. */
  get last(): T | null {
    return this.#entry?.value ?? null
  }

  /** The load that `reload` would join. */
  get pending(): Promise<T> | null {
    const { hedgeAfter = Number.POSITIVE_INFINITY } = this.#settings
    const loading = this.#loading
    return loading !== null && this.#clock.monotonic() - loading.startedAt < hedgeAfter ? loading.promise : null
  }

  /** The last failure, if no load has succeeded since. */
  get failure(): Error | null {
    return this.#failure?.error ?? null
  }

  /** The failure whose pause has not ended. */
  get pausedBy(): Error | null {
    return this.#failure !== null && this.#clock.monotonic() < this.#failure.retryAt ? this.#failure.error : null
  }

  get(): Promise<T> {
    const now = this.#clock.monotonic()
    const entry = this.#entry
    if (entry !== null && now < entry.freshUntil) return Promise.resolve(entry.value)
    const stale = entry !== null && now < entry.staleUntil ? entry : null
    if (this.#failure === null || this.#failure.retryAt === IMMEDIATELY) {
      const loaded = this.reload()
      return stale === null ? loaded : loaded.catch(() => stale.value)
    }
    if (this.pausedBy === null || this.pending !== null) {
      const loaded = this.reload()
      if (stale === null) return loaded
      loaded.catch(ignore)
    }
    return stale === null ? Promise.reject(this.#failure.error) : Promise.resolve(stale.value)
  }

  /** Loads now, or joins the load in flight. */
  reload(): Promise<T> {
    const { pending } = this
    if (pending !== null) return pending
    const slow = this.#loading
    const loaded = this.#load(++this.#loads)
    const first = slow === null ? loaded : Promise.any([slow.promise, loaded]).catch(() => loaded)
    const loading = {
      startedAt: this.#clock.monotonic(),
      promise: first.finally(() => {
        if (this.#loading === loading) this.#loading = null
      }),
    }
    this.#loading = loading
    return loading.promise
  }

  /** Loads once more after the load in flight, which may be older than the change; never rejects. Callers of `get` do not wait. */
  refresh(): Promise<void> {
    this.#refreshing ??= (this.#loading?.promise ?? Promise.resolve())
      .then(ignore, ignore)
      .then(() => {
        this.#refreshing = null
        return this.reload()
      })
      .then(ignore, ignore)
    return this.#refreshing
  }

  /** Makes the value stale; the result of a load in flight is dropped, and its callers wait for the next load. */
  invalidate(): void {
    const now = this.#clock.monotonic()
    this.#superseded = this.#loads
    this.#loading = null
    this.endPause()
    if (this.#entry === null || this.#entry.freshUntil <= now) return
    this.#entry.freshUntil = now
    this.#entry.staleUntil = now + (this.#settings.staleTtl ?? 0)
  }

  /** Ends the pause after a failure: the next call loads and waits for the result. */
  endPause(): void {
    if (this.#failure !== null) this.#failure.retryAt = IMMEDIATELY
  }

  async #load(id: number): Promise<T> {
    const startedAt = this.#clock.monotonic()
    let value: T
    try {
      value = await this.#settings.load()
    } catch (error) {
      if (id > this.#superseded) this.#fail(error as Error)
      throw error
    }
    if (id <= this.#superseded) return this.get()
    this.#store(id, value, startedAt)
    return value
  }

  #store(id: number, value: T, startedAt: number): void {
    const { ttl = Number.POSITIVE_INFINITY, staleTtl = 0, onRecovery, onLoaded } = this.#settings
    const freshUntil = startedAt + (typeof ttl === 'number' ? ttl : ttl(value))
    const previous = this.last
    this.#superseded = id
    this.#entry = { value, freshUntil, staleUntil: freshUntil + staleTtl }
    if (this.#failure !== null) onRecovery?.()
    this.#failure = null
    onLoaded?.(value, previous)
  }

  #fail(error: Error): void {
    const { failurePause = 0, onFailure } = this.#settings
    const now = this.#clock.monotonic()
    const pause = typeof failurePause === 'number' ? failurePause : failurePause(error)
    const previous = this.#failure?.error ?? null
    this.#failure = { error, retryAt: now + pause }
    onFailure?.(error, previous, Math.max(0, (this.#entry?.staleUntil ?? now) - now))
  }
}

function ignore(): void {}
