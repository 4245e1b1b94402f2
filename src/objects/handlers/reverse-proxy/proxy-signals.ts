import { CLIENT_EVENTS } from '#client'
import type { LogEvent } from '#logging'
import { CIRCUIT_METRICS, RESILIENCE_EVENTS } from '#resilience'
import { EVENTS as LIB_EVENTS } from '../../lib/proxies/log-events.ts'
import { EVENTS } from '../log-events.ts'

/** Names of the metrics of a handler that sends requests to other servers. */
export const PROXY_METRICS: readonly string[] = [
  'gw_client_connections_open',
  'gw_client_connections_unresponsive_total',
  'gw_client_requests_running',
  'gw_client_requests_waiting',
  ...CIRCUIT_METRICS,
]

/** Its log events. */
export const PROXY_EVENTS: readonly LogEvent[] = [
  LIB_EVENTS.PROXY_PASSWORD_UNREADABLE,
  EVENTS.CONNECTION_UNRESPONSIVE,
  ...Object.values(RESILIENCE_EVENTS),
  ...Object.values(CLIENT_EVENTS),
]
