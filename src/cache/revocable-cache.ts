import type { Notification, Notifications } from '#contracts'
import type { Clock } from '#schema'
import type { CacheMetrics, Eviction } from './cache-metrics.ts'
import { LruCache } from './lru-cache.ts'
import { type Flight, SingleFlight } from './single-flight.ts'
import { TagIndex } from './tag-index.ts'
import { TtlCache } from './ttl-cache.ts'

/** What happens to cached answers when the notification service is lost (spec, "Cache behaviour on loss of the notification service"). */
export type DisconnectionStrategy = 'NEVER_CLEAR' | 'CLEAR_ON_DISCONNECT' | 'CLEAR_ON_RECONNECT'

/** A loaded answer, and how it may be cached. */
export interface Answer<V> {
  readonly value: V
  /** Milliseconds; with 0 it is not cached. */
  readonly ttl: number
  /** Names by which notifications invalidate it. */
  readonly tags: readonly string[]
  /** Cached for a short time, apart from positive answers. */
  readonly negative?: boolean
}

/** How notifications invalidate answers. */
interface Invalidation {
  readonly notifications: Notifications
  readonly strategy: DisconnectionStrategy
  /** The tags that a notification invalidates. */
  tagsOf(notification: Notification): readonly string[] | 'everything'
}

interface CacheSettings {
  readonly maximumSize: number
  readonly clock: Clock
  readonly metrics: CacheMetrics
  /** Null where answers only expire. */
  readonly invalidation: Invalidation | null
}

/** No answer was loaded, and why. */
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
  readonly #answers: LruCache<V>
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
    this.#answers = new LruCache(maximumSize)
    this.#stopListening =
      invalidation?.notifications.listen({
        notified: (notification) => this.#notified(notification),
        disconnected: () => this.#disconnected(),
        connected: () => this.#reconnected(),
        absent: () => this.#absent(),
      }) ?? (() => {})
    this.#mayLoad = invalidation === null || invalidation.notifications.connected || invalidation.notifications.isAbsent
  }

  /** The cached answer without a promise, or a loaded one; nothing is loaded while notifications may be missed. */
  get(key: string, load: () => Promise<Answer<V>>): V | Unavailable | Promise<V | Unavailable> {
    const now = this.#clock.monotonic()
    const cached = this.#answers.get(key, now)
    if (cached !== null) {
      this.#metrics.hits.add()
      return cached
    }
    this.#metrics.misses.add()
    this.#evicted(this.#answers.delete(key), 'expired')
    if (!this.#mayLoad) return this.#denied()
    const negative = this.#negative.get(key, now)
    if (negative !== null) return negative
    const inFlight = this.#inFlight.get(key)
    if (inFlight !== null) return inFlight
    if (this.#inFlight.size >= MAX_IN_FLIGHT) return OVERLOADED
    return this.#inFlight.start(key, (flight) => this.#load(key, flight, load))
  }

  /** Loads an answer that is never cached; not while notifications may be missed. */
  async bypass(load: () => Promise<V>): Promise<V | Unavailable> {
    return this.#mayLoad ? load() : this.#denied()
  }

  /** Calls back once when one of the tags is invalidated, also where no answer is cached; returns the unsubscriber. */
  watch(tags: readonly string[], onInvalidated: () => void): () => void {
    const watcher: Watcher = { tags, onInvalidated, isStopped: false }
    this.#watchers.add(watcher, tags)
    return () => this.#stop(watcher)
  }

  /** Removes answers with one of the tags. */
  invalidate(tags: readonly string[]): void {
    let removed = 0
    for (const tag of tags) {
      this.#inFlight.invalidate(tag)
      removed += this.#answers.deleteTagged(tag)
      for (const watcher of this.#watchers.withTag(tag)) this.#notify(watcher)
    }
    if (removed > 0) this.#evicted(removed, 'revoked')
  }

  /** Removes expired answers, to be called from time to time. */
  sweep(): void {
    const now = this.#clock.monotonic()
    this.#negative.deleteExpired(now)
    this.#evicted(this.#answers.deleteExpired(now), 'expired')
  }

  dispose(): void {
    this.#stopListening()
    this.#inFlight.abandon()
    this.#answers.clear()
    this.#negative.clear()
    this.#watchers.clear()
    this.#metrics.entries.set(0)
  }

  async #load(key: string, flight: Flight, load: () => Promise<Answer<V>>): Promise<V | Unavailable> {
    let answer = await load()
    if (this.#inFlight.isInvalidated(flight, answer.tags)) {
      this.#inFlight.restart(flight)
      answer = await load()
    }
    if (!this.#mayLoad) return DISCONNECTED
    if (!flight.isStale && !this.#inFlight.isInvalidated(flight, answer.tags)) this.#store(key, answer)
    return answer.value
  }

  #denied(): Unavailable {
    this.#invalidation?.notifications.hurry?.()
    return DISCONNECTED
  }

  #store(key: string, { value, ttl, tags, negative }: Answer<V>): void {
    const now = this.#clock.monotonic()
    if (negative === true) {
      this.#negative.set(key, value, now)
      return
    }
    if (!(ttl > 0)) return
    this.#evicted(this.#answers.set(key, value, now + ttl, tags), 'size')
  }

  #notified(notification: Notification): void {
    const tags = this.#invalidation?.tagsOf(notification) ?? []
    if (tags === 'everything') {
      this.#inFlight.abandon()
      this.#evicted(this.#answers.clear(), 'revoked')
      this.#notifyAll(this.#watchers.all())
      return
    }
    this.invalidate(tags)
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

  /** Without notifications answers only expire: those that notifications should have invalidated are removed, whatever the strategy. */
  #absent(): void {
    this.#mayLoad = true
    this.#inFlight.abandon()
    this.#clear()
  }

  #clear(): void {
    this.#negative.clear()
    this.#evicted(this.#answers.clear(), 'cleared')
  }

  #evicted(removed: number, reason: Eviction): void {
    if (removed > 0) this.#metrics.evictions[reason].add(removed)
    this.#metrics.entries.set(this.#answers.size)
  }
}
