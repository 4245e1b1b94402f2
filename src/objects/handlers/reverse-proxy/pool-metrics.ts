import type { Client, OriginStats } from '#client'
import type { Environment } from '#schema'
import { EVENTS } from '../log-events.ts'

const READINGS: readonly (readonly [name: string, help: string, of: Exclude<keyof OriginStats, 'origin'>])[] = [
  ['gw_client_connections_open', 'Connections to servers that are open.', 'connected'],
  ['gw_client_requests_running', 'Requests that have a connection, or wait for it to be established.', 'running'],
  ['gw_client_requests_waiting', 'Requests that wait for a connection to become free.', 'queued'],
]

/** Metrics of the pool of a handler, summed over all servers, since requests may choose the server; logs silent servers. */
export function measurePool(
  client: Pick<Client, 'stats' | 'onUnresponsive'>,
  { metrics, name, logger }: Environment,
): void {
  for (const [metric, help, member] of READINGS) {
    const read = () => client.stats.reduce((sum, stats) => sum + stats[member], 0)
    metrics.reading(metric, help, { labels: { name }, read })
  }
  const unresponsive = metrics.counter(
    'gw_client_connections_unresponsive_total',
    'HTTP/2 connections that were replaced since their server sent nothing.',
    { name },
  )
  client.onUnresponsive((upstream) => {
    unresponsive.add()
    logger.limited(upstream).warn({ upstream }, EVENTS.CONNECTION_UNRESPONSIVE)
  })
}
