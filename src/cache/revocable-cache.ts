import type { Notification, Notifications } from '#contracts'
import type { Clock } from '#schema'
import type { CacheMetrics, Eviction } from './cache-metrics.ts'
import { LruCache } from './lru-cache.ts'
import { type Flight, SingleFlight } from './single-flight.ts'
import { TagIndex } from './tag-index.ts'
import { TtlCache } from './ttl-cache.ts'

/** When cached values are cleared after a loss of the notification service (spec, "Cache behaviour on loss of the notification service"). */
export type DisconnectionStrategy = 'NEVER_CLEAR' | 'CLEAR_ON_DISCONNECT' | 'CLEAR_ON_RECONNECT'

/** A loaded value with its TTL and tags. */
export interface LoadResult<V> {
  readonly value: V
  /** Milliseconds; with 0 it is not cached. */
  readonly ttl: number
  /** Notifications invalidate it by these. */
  readonly tags: readonly string[]
  /** Cached for a short time, separately from positive values. */
  readonly negative?: boolean
}

/** How notifications invalidate values. */
export interface Invalidation {
  readonly notifications: Notifications
  readonly strategy: DisconnectionStrategy
  /** The tags that a notification invalidates. */
  tagsOf(notification: Notification): readonly string[] | 'everything'
}

interface CacheSettings {
  readonly maximumSize: number
  readonly clock: Clock
  readonly metrics: CacheMetrics
  /** Null where values only expire. */
  readonly invalidation: Invalidation | null
}

/** Why no value was loaded. */
export class Unavailable {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

const DISCONNECTED = new Unavailable('the notification service of the access manager is disconnected')
const OVERLOADED = new Unavailable('too many requests to the authorization server are in flight')

/** Loads in flight in one unit; each waits for a connection of the pool of its handler. */
const MAX_IN_FLIGHT = 1_000
/** Further ones for values that have expired: a flood of unknown keys must not end the sessions and tokens in use (threats B60). */
const RESERVED_IN_FLIGHT = 250

const MAX_NEGATIVE = 10_000
const NEGATIVE_TTL = 5_000

interface Watcher {
  readonly tags: readonly string[]
  readonly onInvalidated: () => void
  isStopped: boolean
}

/** Watchers that are called in one turn of the event loop: each may close a connection. */
const WATCHERS_PER_TURN = 500

/**
 * A bounded cache with TTL, single-flight loads, negative caching, and invalidation by notifications. Keys are digests, so that
 * no token is in an index.
 */
export class RevocableCache<V extends object> {
  readonly #clock: Clock
  readonly #metrics: CacheMetrics
  readonly #invalidation: Invalidation | null
  readonly #positive: LruCache<V>
  readonly #negative = new TtlCache<V>(MAX_NEGATIVE, NEGATIVE_TTL)
  readonly #inFlight = new SingleFlight<V | Unavailable>()
  readonly #watchers = new TagIndex<Watcher>()
  readonly #stopListening: () => void
  /** False while notifications may be missed. */
  #mayLoad: boolean

  constructor({ maximumSize, clock, metrics, invalidation }: CacheSettings) {
    this.#clock = clock
    this.#metrics = metrics
    this.#invalidation = invalidation
    this.#positive = new LruCache(maximumSize)
    this.#stopListening =
      invalidation?.notifications.listen({
        notified: (notification) => this.#notified(notification),
        disconnected: () => this.#disconnected(),
        connected: () => this.#reconnected(),
        absent: () => this.#absent(),
      }) ?? (() => {})
    this.#mayLoad = invalidation === null || invalidation.notifications.connected || invalidation.notifications.isAbsent
  }

  /** A cached positive value, or null: for callers that have nothing to prepare where one is cached. */
  hit(key: string): V | null {
    const cached = this.#positive.get(key, this.#clock.monotonic())
    if (cached !== null) this.#metrics.hits.add()
    return cached
  }

  /** A cached value is returned without a promise; nothing is loaded while notifications may be missed. */
  get(key: string, load: () => Promise<LoadResult<V>>): V | Unavailable | Promise<V | Unavailable> {
    const cached = this.hit(key)
    if (cached !== null) return cached
    this.#metrics.misses.add()
    const now = this.#clock.monotonic()
    const expired = this.#positive.delete(key)
    this.#evicted(expired, 'expired')
    if (!this.#mayLoad) return this.#denied()
    const negative = this.#negative.get(key, now)
    if (negative !== null) return negative
    const inFlight = this.#inFlight.get(key)
    if (inFlight !== null) return inFlight
    if (this.#inFlight.size >= (expired > 0 ? MAX_IN_FLIGHT + RESERVED_IN_FLIGHT : MAX_IN_FLIGHT)) return OVERLOADED
    return this.#inFlight.start(key, (flight) => this.#load(key, flight, load))
  }

  /** Loads a value without caching it; unavailable while notifications may be missed. */
  async bypass(load: () => Promise<V>): Promise<V | Unavailable> {
    return this.#mayLoad ? load() : this.#denied()
  }

  /** Calls back once when one of the tags is invalidated, also where no value is cached; returns the unsubscribe function. */
  watch(tags: readonly string[], onInvalidated: () => void): () => void {
    const watcher: Watcher = { tags, onInvalidated, isStopped: false }
    this.#watchers.add(watcher, tags)
    return () => this.#stop(watcher)
  }

  /** Removes values with one of the tags. */
  invalidate(tags: readonly string[] | 'everything'): void {
    if (tags === 'everything') {
      this.#inFlight.abandon()
      this.#evicted(this.#positive.clear(), 'revoked')
      this.#notifyAll(this.#watchers.all())
      return
    }
    let removed = 0
    for (const tag of tags) {
      this.#inFlight.invalidate(tag)
      removed += this.#positive.deleteTagged(tag)
      for (const watcher of this.#watchers.withTag(tag)) this.#notify(watcher)
    }
    if (removed > 0) this.#evicted(removed, 'revoked')
  }

  /** Removes expired values; call it periodically. */
  sweep(): void {
    const now = this.#clock.monotonic()
    this.#negative.deleteExpired(now)
    this.#evicted(this.#positive.deleteExpired(now), 'expired')
  }

  dispose(): void {
    this.#stopListening()
    this.#inFlight.abandon()
    this.#positive.clear()
    this.#negative.clear()
    this.#watchers.clear()
    this.#metrics.entries.set(0)
  }

  async #load(key: string, flight: Flight, load: () => Promise<LoadResult<V>>): Promise<V | Unavailable> {
    let result = await load()
    if (this.#inFlight.isInvalidated(flight, result.tags)) {
      this.#inFlight.restart(flight)
      result = await load()
    }
    if (!this.#mayLoad) return DISCONNECTED
    if (!flight.isStale && !this.#inFlight.isInvalidated(flight, result.tags)) this.#store(key, result)
    return result.value
  }

  #denied(): Unavailable {
    this.#invalidation?.notifications.requestReconnect?.()
    return DISCONNECTED
  }

  #store(key: string, { value, ttl, tags, negative }: LoadResult<V>): void {
    const now = this.#clock.monotonic()
    if (negative === true) {
      this.#negative.set(key, value, now)
      return
    }
    if (!(ttl > 0)) return
    this.#evicted(this.#positive.set(key, value, now + ttl, tags), 'size')
  }

  #notified(notification: Notification): void {
    this.invalidate(this.#invalidation?.tagsOf(notification) ?? [])
  }

  #notifyAll(watchers: readonly Watcher[]): void {
    for (const watcher of watchers.slice(0, WATCHERS_PER_TURN)) this.#notify(watcher)
    if (watchers.length > WATCHERS_PER_TURN) setImmediate(() => this.#notifyAll(watchers.slice(WATCHERS_PER_TURN)))
  }

  #notify(watcher: Watcher): void {
    if (watcher.isStopped) return
    this.#stop(watcher)
    watcher.onInvalidated()
  }

  #stop(watcher: Watcher): void {
    watcher.isStopped = true
    this.#watchers.delete(watcher, watcher.tags)
  }

  #disconnected(): void {
    this.#mayLoad = false
    this.#inFlight.abandon()
    if (this.#invalidation?.strategy === 'CLEAR_ON_DISCONNECT') this.#clear()
  }

  #reconnected(): void {
    this.#mayLoad = true
    if (this.#invalidation?.strategy === 'CLEAR_ON_RECONNECT') this.#clear()
  }

  /** Without notifications values only expire; clears the cache with any strategy, since invalidations were missed. */
  #absent(): void {
    this.#mayLoad = true
    this.#inFlight.abandon()
    this.#clear()
  }

  #clear(): void {
    this.#negative.clear()
    this.#evicted(this.#positive.clear(), 'cleared')
  }

  #evicted(removed: number, reason: Eviction): void {
    if (removed > 0) this.#metrics.evictions[reason].add(removed)
    this.#metrics.entries.set(this.#positive.size)
  }
}
