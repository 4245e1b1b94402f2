import type { MetricSample, SampledSeries } from '#contracts'

/** Status families in the order of `RouteCounts.statuses`, by their label. */
export const FAMILIES = {
  Informational: 'informational',
  Successful: 'successful',
  Redirection: 'redirection',
  Client_error: 'clientError',
  Server_error: 'serverError',
  Unknown: 'unknown',
} as const

const FAMILY_INDEX: ReadonlyMap<string, number> = new Map(Object.keys(FAMILIES).map((label, at) => [label, at]))

/** Values of one route since its deployment. */
export interface RouteCounts {
  /** The id for routes of the main router, otherwise preceded by the router. */
  readonly key: string
  readonly name: string
  readonly router: string
  requests: number
  errors: number
  active: number
  readonly statuses: number[]
  time: MetricSample | null
}

/** All metrics at one moment. */
export interface Snapshot {
  /** Milliseconds since 1970, and of the monotonic clock. */
  readonly time: number
  readonly at: number
  readonly routes: ReadonlyMap<string, RouteCounts>
  /** Metrics of other objects, by name. */
  readonly others: ReadonlyMap<string, readonly MetricSample[]>
}

/** Keys of routes, computed once for each series. */
const keys = new WeakMap<SampledSeries, string>()

const MAIN = 'gateway._router'

const ROUTE_METRICS: ReadonlySet<string> = new Set([
  'gw_route_request_total',
  'gw_route_request_active',
  'gw_route_response_error_total',
  'gw_route_response_status_total',
  'gw_route_response_time',
])

/** Groups samples by route and by name. */
export function takeSnapshot(samples: readonly MetricSample[], clock: { time: number; at: number }): Snapshot {
  const routes = new Map<string, RouteCounts>()
  const others = new Map<string, MetricSample[]>()
  for (const sample of samples) {
    if (ROUTE_METRICS.has(sample.name)) {
      addRouteSample(routes, sample)
      continue
    }
    const known = others.get(sample.name)
    if (known === undefined) others.set(sample.name, [sample])
    else known.push(sample)
  }
  return { ...clock, routes, others }
}

function addRouteSample(routes: Map<string, RouteCounts>, sample: MetricSample): void {
  const key = keyOf(sample)
  let route = routes.get(key)
  if (route === undefined) {
    const { name = '', router = '' } = sample.labels
    route = { key, name, router, requests: 0, errors: 0, active: 0, statuses: [0, 0, 0, 0, 0, 0], time: null }
    routes.set(key, route)
  }
  switch (sample.name) {
    case 'gw_route_request_total':
      route.requests = sample.value
      break
    case 'gw_route_request_active':
      route.active = sample.value
      break
    case 'gw_route_response_error_total':
      route.errors = sample.value
      break
    case 'gw_route_response_status_total':
      route.statuses[FAMILY_INDEX.get(sample.labels['family'] ?? '') ?? 5] = sample.value
      break
    case 'gw_route_response_time':
      route.time = sample
  }
}

function keyOf({ series, labels }: MetricSample): string {
  const known = series === undefined ? undefined : keys.get(series)
  if (known !== undefined) return known
  const { route = '', router = '' } = labels
  const key = router === MAIN ? route : `${router.replace(/^gateway\./, '')}/${route}`
  if (series !== undefined) keys.set(series, key)
  return key
}

/** Routers whose routes are not within a route of another router: their requests are all requests. */
export function outerRouters(routes: Iterable<RouteCounts>): ReadonlySet<string> {
  const routers = new Set<string>()
  for (const { router } of routes) routers.add(router)
  const names = [...routers]
  return new Set(names.filter((name) => !names.some((other) => name !== other && name.startsWith(`${other}.`))))
}
