import type { Client, OriginStats } from '#client'
import type { Environment } from '#schema'

const READINGS: readonly (readonly [name: string, help: string, of: Exclude<keyof OriginStats, 'origin'>])[] = [
  ['gw_client_connections_open', 'Connections to servers that are open.', 'connected'],
  ['gw_client_requests_running', 'Requests that have a connection, or wait for it to be established.', 'running'],
  ['gw_client_requests_waiting', 'Requests that wait for a connection to become free.', 'queued'],
]

/** Metrics of the pool of a handler, summed over all servers, since requests may choose the server. */
export function measurePool(client: Pick<Client, 'stats'>, { metrics, name }: Environment): void {
  for (const [metric, help, member] of READINGS) {
    const read = () => client.stats.reduce((sum, stats) => sum + stats[member], 0)
    metrics.reading(metric, help, { labels: { name }, read })
  }
}
