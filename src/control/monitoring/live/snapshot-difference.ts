import type { MetricSample, RecentObservations } from '#contracts'
import type { JsonObject } from '#json'
import { quantile } from '#metrics'
import { FAMILIES, outerRouters, type RouteCounts, type Snapshot } from './metrics-snapshot.ts'

const QUANTILES = { p50: 0.5, p95: 0.95, p99: 0.99 }

/** Rates of one route between two snapshots. */
export interface RouteRates {
  readonly counts: RouteCounts
  readonly requestsPerSecond: number
  readonly errorsPerSecond: number
  /** Responses for each second, in the order of the families. */
  readonly statuses: readonly number[]
  /** Whether it had requests since the snapshot before, or has some in flight. */
  readonly isActive: boolean
  /** Whether anything differs from the snapshot before. */
  readonly isChanged: boolean
}

/** Rates between two snapshots. */
export interface Difference {
  readonly seconds: number
  readonly routes: readonly RouteRates[]
  /** Keys of routes that are gone. */
  readonly removed: readonly string[]
  readonly totals: JsonObject
}

/** Rates of all routes and of the gateway; latencies of `totals` are those of the interval. */
export function difference(before: Snapshot, now: Snapshot): Difference {
  const seconds = Math.max(0.001, (now.at - before.at) / 1000)
  const outer = outerRouters(now.routes.values())
  const routes: RouteRates[] = []
  const latencies = new Latencies()
  const sum = { requestsPerSecond: 0, errorsPerSecond: 0, active: 0, requests: 0, errors: 0 }
  const statuses = [0, 0, 0, 0, 0, 0]
  for (const counts of now.routes.values()) {
    const previous = before.routes.get(counts.key)
    const rates = ratesOf(counts, previous, seconds)
    routes.push(rates)
    if (!outer.has(counts.router)) continue
    sum.requestsPerSecond += rates.requestsPerSecond
    sum.errorsPerSecond += rates.errorsPerSecond
    sum.active += counts.active
    sum.requests += counts.requests
    sum.errors += counts.errors
    for (const [at, rate] of rates.statuses.entries()) statuses[at] = (statuses[at] as number) + rate
    latencies.add(counts.time, previous?.time ?? null)
  }
  const totals = {
    ...sum,
    requestsPerSecond: round(sum.requestsPerSecond),
    errorsPerSecond: round(sum.errorsPerSecond),
    statuses: familiesOf(statuses),
    ...quantilesOf(latencies.observations()),
  }
  const removed = [...before.routes.keys()].filter((key) => !now.routes.has(key))
  return { seconds, routes, removed, totals }
}

/** A route in an event; its latencies are those of the last five to ten minutes. */
export function routeJson({ counts, ...rates }: RouteRates): JsonObject {
  const { name, router, active, requests, errors, time } = counts
  return {
    name,
    router,
    requestsPerSecond: round(rates.requestsPerSecond),
    errorsPerSecond: round(rates.errorsPerSecond),
    active,
    requests,
    errors,
    statuses: familiesOf(rates.statuses),
    ...quantilesOf((time?.count ?? 0) > 0 ? (time?.recent ?? null) : null),
  }
}

function ratesOf(counts: RouteCounts, before: RouteCounts | undefined, seconds: number): RouteRates {
  // A counter of a route that was removed and added starts at zero.
  const grown = (now: number, then: number | undefined) => Math.max(0, now - (then ?? 0))
  const requests = grown(counts.requests, before?.requests)
  const errors = grown(counts.errors, before?.errors)
  const statuses = counts.statuses.map((count, at) => grown(count, before?.statuses[at]))
  const isActive = requests > 0 || errors > 0 || counts.active > 0 || statuses.some((count) => count > 0)
  return {
    counts,
    requestsPerSecond: requests / seconds,
    errorsPerSecond: errors / seconds,
    statuses: statuses.map((count) => count / seconds),
    isActive,
    isChanged: isActive || before === undefined || before.active !== counts.active,
  }
}

function familiesOf(statuses: readonly number[]): JsonObject {
  return Object.fromEntries(Object.values(FAMILIES).map((family, at) => [family, round(statuses[at] as number)]))
}

/** Milliseconds; null without observations. */
function quantilesOf(observed: RecentObservations | null): JsonObject {
  return Object.fromEntries(
    Object.entries(QUANTILES).map(([name, rank]) => {
      const value = observed === null || observed.count === 0 ? null : quantile(observed, rank)
      return [name, value === null ? null : round(value * 1000)]
    }),
  )
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}

/** Observations between two snapshots, of several summaries. */
class Latencies {
  readonly #buckets = new Map<number, number>()
  #count = 0
  #max = 0

  /** Observations of the windows of quantiles are in the order of time: those of both snapshots cancel out. */
  add(now: MetricSample | null, before: MetricSample | null): void {
    const added = (now?.count ?? 0) - (before?.count ?? 0)
    if (added <= 0 || now?.recent === undefined) return
    const { recent } = now
    const old = before?.recent
    // After a window was dropped, the difference is unknown; the windows themselves are the best approximation.
    const isContinuous = old !== undefined && recent.count - old.count === added
    for (const [bound, count] of recent.buckets) this.#add(bound, count)
    if (isContinuous) for (const [bound, count] of old.buckets) this.#add(bound, -count)
    this.#count += isContinuous ? added : recent.count
    this.#max = Math.max(this.#max, recent.max)
  }

  observations(): RecentObservations {
    const buckets = [...this.#buckets].filter(([, count]) => count > 0).sort(([a], [b]) => a - b)
    return { count: this.#count, sum: 0, squares: 0, min: 0, max: this.#max, buckets }
  }

  #add(bound: number, count: number): void {
    this.#buckets.set(bound, (this.#buckets.get(bound) ?? 0) + count)
  }
}
