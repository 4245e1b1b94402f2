import type { Notification, Notifications } from '#contracts'
import type { Clock } from '#schema'
import { BriefMemory } from './brief-memory.ts'
import type { CacheCounters, Eviction } from './cache-counters.ts'
import { KeptAnswers } from './kept-answers.ts'
import { type Course, Lookups } from './lookups.ts'
import { MarkIndex } from './mark-index.ts'

/** What to do with kept answers while there are no news (spec, "Cache behaviour on loss of the notification service"). */
export type DisconnectionStrategy = 'NEVER_CLEAR' | 'CLEAR_ON_DISCONNECT' | 'CLEAR_ON_RECONNECT'

/** An answer, and what the cache may do with it. */
export interface Answer<V> {
  readonly value: V
  /** Milliseconds for which it is good; with 0 it is not kept. */
  readonly keepFor: number
  /** The names by which news may speak of it. */
  readonly marks: readonly string[]
  /** It says that there is nothing: remembered for a moment, apart from good answers. */
  readonly negative?: boolean
}

/** How a cache hears that an answer is good no longer. */
export interface News {
  readonly notifications: Notifications
  readonly strategy: DisconnectionStrategy
  /** The marks that a notification names, or everything. */
  marksOf(notification: Notification): readonly string[] | 'everything'
}

/** What a cache is made of. */
export interface CacheSettings {
  readonly maximumSize: number
  readonly clock: Clock
  readonly counters: CacheCounters
  /** Null where answers live by time alone. */
  readonly news: News | null
}

/** Why a question was not asked. */
export class NotAsked {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

const DISCONNECTED = new NotAsked('the notification service of the access manager is disconnected')
const CROWDED = new NotAsked('too many questions to the authorization server are on their way')

/** Questions on their way at one time, in one unit; each waits for a slot in the connection pool of its handler. */
const MOST_LOOKUPS = 1_000

const MOST_NEGATIVE = 10_000
const NEGATIVE_TIME = 5_000

interface Watcher {
  readonly marks: readonly string[]
  readonly ended: () => void
  isOver: boolean
}

/** Watchers that are called in one turn of the event loop: each may have a connection to close. */
const WATCHERS_AT_ONCE = 500

/**
 * Keeps answers of a server that can take them back: bounded in time and number, asked once for all who wait, and
 * forgotten when news say so. Keys are digests, so that what was asked about is in no index. Time is that of a clock
 * which no change of the date moves.
 */
export class RevocableCache<V extends object> {
  readonly #clock: Clock
  readonly #counters: CacheCounters
  readonly #news: News | null
  readonly #kept: KeptAnswers<V>
  readonly #negative = new BriefMemory<V>(MOST_NEGATIVE, NEGATIVE_TIME)
  readonly #lookups = new Lookups<V | NotAsked>()
  readonly #watchers = new MarkIndex<Watcher>()
  readonly #stopListening: () => void
  /** False while notifications are expected and can be missed. */
  #mayAsk: boolean

  constructor({ maximumSize, clock, counters, news }: CacheSettings) {
    this.#clock = clock
    this.#counters = counters
    this.#news = news
    this.#kept = new KeptAnswers(maximumSize)
    this.#stopListening =
      news?.notifications.listen({
        notified: (notification) => this.#notified(notification),
        disconnected: () => this.#disconnected(),
        connected: () => this.#reconnected(),
        absent: () => this.#absent(),
      }) ?? (() => {})
    this.#mayAsk = news === null || news.notifications.connected || news.notifications.isAbsent
  }

  /** The kept answer at once, else what `ask` says; nothing is asked while news can be missed. */
  find(key: string, ask: () => Promise<Answer<V>>): V | NotAsked | Promise<V | NotAsked> {
    const now = this.#clock.monotonic()
    const kept = this.#kept.get(key, now)
    if (kept !== null) {
      this.#counters.hits.add()
      return kept
    }
    this.#counters.misses.add()
    this.#evicted(this.#kept.forget(key), 'expired')
    if (!this.#mayAsk) return this.#denied()
    const negative = this.#negative.get(key, now)
    if (negative !== null) return negative
    const underway = this.#lookups.get(key)
    if (underway !== null) return underway
    if (this.#lookups.size >= MOST_LOOKUPS) return CROWDED
    return this.#lookups.start(key, (course) => this.#ask(key, course, ask))
  }

  /** What `ask` says, of a question whose answer is never kept; as the others, it is not asked while news can be missed. */
  async pass(ask: () => Promise<V>): Promise<V | NotAsked> {
    return this.#mayAsk ? ask() : this.#denied()
  }

  /** Calls back once when news name one of the marks or everything, whether or not the answer is still kept; gives the way to stop. */
  watch(marks: readonly string[], ended: () => void): () => void {
    const watcher: Watcher = { marks, ended, isOver: false }
    this.#watchers.add(watcher, marks)
    return () => this.#stop(watcher)
  }

  /** Forgets answers that bear one of the marks, as news do that name them. */
  revoke(marks: readonly string[]): void {
    let removed = 0
    for (const mark of marks) {
      this.#lookups.hear(mark)
      removed += this.#kept.forgetMarked(mark)
      for (const watcher of this.#watchers.bearing(mark)) this.#end(watcher)
    }
    if (removed > 0) this.#evicted(removed, 'revoked')
  }

  /** Forgets what has outlived its time; nothing else would where nobody asks for it again. */
  sweep(): void {
    const now = this.#clock.monotonic()
    this.#negative.forgetExpired(now)
    this.#evicted(this.#kept.forgetExpired(now), 'expired')
  }

  dispose(): void {
    this.#stopListening()
    this.#lookups.abandon()
    this.#kept.clear()
    this.#negative.clear()
    this.#watchers.clear()
    this.#counters.entries.set(0)
  }

  async #ask(key: string, course: Course, ask: () => Promise<Answer<V>>): Promise<V | NotAsked> {
    let answer = await ask()
    if (this.#lookups.crossed(course, answer.marks)) {
      this.#lookups.renew(course)
      answer = await ask()
    }
    if (!this.#mayAsk) return DISCONNECTED
    if (!course.outdated && !this.#lookups.crossed(course, answer.marks)) this.#keep(key, answer)
    return answer.value
  }

  #denied(): NotAsked {
    this.#news?.notifications.hurry?.()
    return DISCONNECTED
  }

  #keep(key: string, { value, keepFor, marks, negative }: Answer<V>): void {
    const now = this.#clock.monotonic()
    if (negative === true) {
      this.#negative.remember(key, value, now)
      return
    }
    if (!(keepFor > 0)) return
    this.#evicted(this.#kept.keep(key, value, now + keepFor, marks), 'size')
  }

  #notified(notification: Notification): void {
    const marks = this.#news?.marksOf(notification) ?? []
    if (marks === 'everything') {
      this.#lookups.abandon()
      this.#evicted(this.#kept.clear(), 'revoked')
      this.#endAll(this.#watchers.all())
      return
    }
    this.revoke(marks)
  }

  #endAll(watchers: readonly Watcher[]): void {
    for (const watcher of watchers.slice(0, WATCHERS_AT_ONCE)) this.#end(watcher)
    if (watchers.length > WATCHERS_AT_ONCE) setImmediate(() => this.#endAll(watchers.slice(WATCHERS_AT_ONCE)))
  }

  #end(watcher: Watcher): void {
    if (watcher.isOver) return
    this.#stop(watcher)
    watcher.ended()
  }

  #stop(watcher: Watcher): void {
    watcher.isOver = true
    this.#watchers.remove(watcher, watcher.marks)
  }

  #disconnected(): void {
    this.#mayAsk = false
    this.#lookups.abandon()
    if (this.#news?.strategy === 'CLEAR_ON_DISCONNECT') this.#clear()
  }

  #reconnected(): void {
    this.#mayAsk = true
    if (this.#news?.strategy === 'CLEAR_ON_RECONNECT') this.#clear()
  }

  /** From now on answers live by time alone: those that were to be ended by notifications go, whatever the strategy. */
  #absent(): void {
    this.#mayAsk = true
    this.#lookups.abandon()
    this.#clear()
  }

  #clear(): void {
    this.#negative.clear()
    this.#evicted(this.#kept.clear(), 'cleared')
  }

  #evicted(removed: number, reason: Eviction): void {
    if (removed > 0) this.#counters.evictions[reason].add(removed)
    this.#counters.entries.set(this.#kept.size)
  }
}
