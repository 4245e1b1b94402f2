import type { MetricSample } from '#contracts'
import type { JsonObject } from '#json'
import type { Clock } from '#schema'
import { type Snapshot, takeSnapshot } from './metrics-snapshot.ts'
import { objectFamilies, processState } from './object-families.ts'
import { type Difference, difference, type RouteRates, routeJson } from './snapshot-difference.ts'

/** Milliseconds between events, and between samples of the history. */
const EVENT_INTERVAL = 1_000
const HISTORY_INTERVAL = 10_000

/** One hour. */
const HISTORY_SAMPLES = 360

/** Routes with the most requests, in each sample of the history. */
const HISTORY_ROUTES = 50

/** Objects change slowly: they are in the first and in every fifth event. */
const OBJECTS_EVERY = 5

/** With very many routes events are rarer, so that collecting takes at most a tenth of the control thread. */
const MAX_SHARE = 0.1

/** Receives events: `changed` has the routes that have changed, `all` every route. */
type Subscriber = (event: { readonly changed: string; all(): string }) => void

interface FeedInput {
  collect(): Promise<readonly MetricSample[]>
  readonly clock: Clock
  /** Whether samples are recorded while there is no subscriber. */
  readonly recordsHistory: boolean
}

/** Events of metrics, and their history of the last hour; both from the metrics that scrapes expose. */
export class MetricsFeed implements Disposable {
  readonly #input: FeedInput
  readonly #subscribers = new Set<Subscriber>()
  readonly #history: JsonObject[] = []
  #last: Snapshot
  #lastSample: Snapshot
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  #events = 0
  /** Routes with requests in the last event: they are in the next one too, with a rate of zero. */
  #active: ReadonlySet<string> = new Set()
  #isClosed = false

  constructor(input: FeedInput) {
    this.#input = input
    this.#last = takeSnapshot([], this.#moment())
    this.#lastSample = this.#last
    if (input.recordsHistory) this.#schedule(HISTORY_INTERVAL)
  }

  /** Sends an event every second, the first at once; returns the unsubscriber. */
  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber)
    this.#schedule(0)
    return () => this.#subscribers.delete(subscriber)
  }

  /** Samples of the last hour, the oldest first. */
  get history(): JsonObject {
    return { interval: HISTORY_INTERVAL / 1000, samples: [...this.#history] }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#subscribers.clear()
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #schedule(delay: number): void {
    if (this.#isClosed || (this.#running !== null && delay === 0)) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#running ??= this.#run().finally(() => {
        this.#running = null
        this.#next()
      })
    }, delay).unref()
  }

  #next(): void {
    if (this.#subscribers.size > 0) this.#schedule(Math.max(EVENT_INTERVAL, this.#cost / MAX_SHARE) - this.#cost)
    else if (this.#input.recordsHistory) this.#schedule(Math.max(HISTORY_INTERVAL, this.#cost / MAX_SHARE))
  }

  /** Milliseconds of processor time of the last run. */
  #cost = 0

  async #run(): Promise<void> {
    const before = process.threadCpuUsage()
    try {
      const samples = await this.#input.collect()
      const now = takeSnapshot(samples, this.#moment())
      if (this.#subscribers.size > 0) this.#emit(now)
      this.#last = now
      if (now.at - this.#lastSample.at >= HISTORY_INTERVAL * 0.95) this.#record(now)
    } catch {
      // Units that do not answer are reported by the collection; the next run tries again.
    }
    const { user, system } = process.threadCpuUsage(before)
    this.#cost = (user + system) / 1000
  }

  #emit(now: Snapshot): void {
    const changes = difference(this.#last, now)
    const objects = this.#events++ % OBJECTS_EVERY === 0 ? objectFamilies(now) : null
    const event = { ...head(now, changes), ...processState(now) }
    const sent = changes.routes.filter(({ isChanged, counts }) => isChanged || this.#active.has(counts.key))
    this.#active = new Set(sent.flatMap(({ isActive, counts }) => (isActive ? [counts.key] : [])))
    const removed = changes.removed.length === 0 ? {} : { removedRoutes: [...changes.removed] }
    const changed = JSON.stringify({ ...event, routes: routesOf(sent), ...removed, ...objects })
    let all: string | null = null
    const whole = () => {
      all ??= JSON.stringify({ ...event, routes: routesOf(changes.routes), ...(objects ?? objectFamilies(now)) })
      return all
    }
    for (const subscriber of [...this.#subscribers]) subscriber({ changed, all: whole })
  }

  #record(now: Snapshot): void {
    const changes = difference(this.#lastSample, now)
    const busiest = changes.routes
      .filter(({ isChanged, requestsPerSecond }) => isChanged && requestsPerSecond > 0)
      .sort((a, b) => b.requestsPerSecond - a.requestsPerSecond)
      .slice(0, HISTORY_ROUTES)
    const { units, memory, eventLoop } = processState(now)
    this.#history.push({
      ...head(now, changes),
      routes: routesOf(busiest),
      units: units as JsonObject,
      memory: memory as JsonObject,
      eventLoop: eventLoop as JsonObject[],
    })
    if (this.#history.length > HISTORY_SAMPLES) this.#history.shift()
    this.#lastSample = now
  }

  #moment(): { time: number; at: number } {
    const { clock } = this.#input
    return { time: clock.now(), at: clock.monotonic() }
  }
}

function head({ time }: Snapshot, { seconds, totals }: Difference): JsonObject {
  return {
    timestamp: new Date(time).toISOString(),
    interval: Math.round(seconds * 1000) / 1000,
    totals,
    p99: totals['p99'] as number | null,
  }
}

function routesOf(routes: readonly RouteRates[]): JsonObject {
  return Object.fromEntries(routes.map((rates) => [rates.counts.key, routeJson(rates)]))
}
