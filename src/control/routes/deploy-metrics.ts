import type { Metrics } from '#schema'

/** Outcomes of the changes to the routes of one folder. */
export interface DeployCounts {
  succeeded: number
  failed: number
  /** Time of the last deployed change, in milliseconds since the epoch; 0 for none. */
  lastAt: number
}

/** Counts of the routes of one folder. */
interface DeployedRoutes {
  readonly deploys: Readonly<DeployCounts>
  readonly served: { readonly size: number }
  readonly failing: number
}

/** Size of the history. */
interface HistorySize {
  readonly size: number
  readonly bytes: number
  readonly failures: number
}

interface ReadMetrics extends Metrics {
  countReading(name: string, help: string, reading: { labels?: Record<string, string>; read(): number }): void
}

/** Exposes the number of routes of a router, and the outcomes of its changes. */
export function exposeDeployCounts(metrics: ReadMetrics, router: string, routes: DeployedRoutes): void {
  const labels = { router }
  metrics.reading('gw_router_deployed_routes', 'Routes that are served.', { labels, read: () => routes.served.size })
  metrics.reading('gw_router_failed_routes', 'Route files that are not served as they are written.', {
    labels,
    read: () => routes.failing,
  })
  for (const result of ['succeeded', 'failed'] as const) {
    metrics.countReading('gw_route_deployments_total', 'Changes of routes since the gateway started.', {
      labels: { ...labels, result },
      read: () => routes.deploys[result],
    })
  }
  metrics.reading('gw_route_last_deployment_timestamp_seconds', 'When a route was last changed, since 1970; or 0.', {
    labels,
    read: () => routes.deploys.lastAt / 1000,
  })
}

/** Exposes the size of the history. */
export function exposeHistorySize(metrics: ReadMetrics, history: HistorySize): void {
  metrics.reading('gw_route_history_versions', 'Replaced versions of routes that are kept.', {
    read: () => history.size,
  })
  metrics.reading('gw_route_history_bytes', 'How long the kept versions are.', { read: () => history.bytes })
  metrics.countReading('gw_route_history_failures_total', 'Replaced versions that could not be written.', {
    read: () => history.failures,
  })
}
