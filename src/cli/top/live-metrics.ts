import { isPlainObject, type JsonObject, type JsonValue } from '#json'

/** Values of one route in the live monitor. */
export interface RouteRates {
  readonly route: string
  readonly requestsPerSecond: number
  readonly clientErrorsPerSecond: number
  readonly serverErrorsPerSecond: number
  readonly active: number
  readonly requests: number
  readonly p50: number | null
  readonly p99: number | null
}

/** Routes that are remembered: more than a gateway can show. */
const MAX_ROUTES = 100_000

/** The state of a gateway, from the events of `/api/monitor/metrics`. */
export class LiveMetrics {
  readonly #routes = new Map<string, JsonObject>()
  #event: JsonObject = {}
  #cpu: { readonly time: number; readonly seconds: number } | null = null
  #pools: readonly JsonObject[] = []
  /** Processor time in seconds for each second, of all threads; null until the second event. */
  cpuShare: number | null = null

  /** Later events have only the routes whose values have changed. */
  add(event: JsonObject): void {
    this.#event = event
    for (const key of list(event['removedRoutes'])) this.#routes.delete(String(key))
    for (const [key, values] of Object.entries(objectIn(event, 'routes'))) {
      if (isPlainObject(values) && (this.#routes.has(key) || this.#routes.size < MAX_ROUTES))
        this.#routes.set(key, values as JsonObject)
    }
    if (Array.isArray(event['pools'])) this.#pools = event['pools'].filter(isPlainObject) as JsonObject[]
    this.#addProcessorTime(event)
  }

  /** Values of a stream that has ended are dropped. */
  clear(): void {
    this.#routes.clear()
    this.#cpu = null
    this.cpuShare = null
  }

  /** By requests per second, then by all requests. */
  get routes(): readonly RouteRates[] {
    return [...this.#routes]
      .map(([route, values]) => ratesOf(route, values))
      .sort(
        (a, b) => b.requestsPerSecond - a.requestsPerSecond || b.requests - a.requests || (a.route < b.route ? -1 : 1),
      )
  }

  get totals(): RouteRates {
    return ratesOf('', objectIn(this.#event, 'totals'))
  }

  /** A number of the last event, such as that of `process` and `openFiles`; null where it is missing. */
  value(group: string, name: string): number | null {
    return numberIn(objectIn(this.#event, group), name)
  }

  /** Open connections to upstreams. */
  get upstreamConnections(): number {
    return this.#pools.reduce((sum, pool) => sum + (numberIn(pool, 'connections') ?? 0), 0)
  }

  /** The largest delay of an event loop (99th percentile), in seconds. */
  get eventLoopDelay(): number | null {
    const delays = list(this.#event['eventLoop']).map((loop) =>
      isPlainObject(loop) ? numberIn(loop as JsonObject, 'p99Seconds') : null,
    )
    const known = delays.filter((delay) => delay !== null)
    return known.length === 0 ? null : Math.max(...known)
  }

  #addProcessorTime(event: JsonObject): void {
    const seconds = this.value('process', 'cpuSeconds')
    const time = Date.parse(String(event['timestamp'])) / 1000
    if (seconds === null || Number.isNaN(time)) return
    const before = this.#cpu
    if (before !== null && time > before.time) this.cpuShare = (seconds - before.seconds) / (time - before.time)
    this.#cpu = { time, seconds }
  }
}

function ratesOf(route: string, values: JsonObject): RouteRates {
  const statuses = objectIn(values, 'statuses')
  return {
    route,
    requestsPerSecond: numberIn(values, 'requestsPerSecond') ?? 0,
    clientErrorsPerSecond: numberIn(statuses, 'clientError') ?? 0,
    serverErrorsPerSecond: numberIn(statuses, 'serverError') ?? 0,
    active: numberIn(values, 'active') ?? 0,
    requests: numberIn(values, 'requests') ?? 0,
    p50: numberIn(values, 'p50'),
    p99: numberIn(values, 'p99'),
  }
}

function objectIn(values: JsonObject, name: string): JsonObject {
  return isPlainObject(values[name]) ? (values[name] as JsonObject) : {}
}

function numberIn(values: JsonObject, name: string): number | null {
  return typeof values[name] === 'number' ? values[name] : null
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}
