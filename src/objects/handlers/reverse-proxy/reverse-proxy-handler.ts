import { CLIENT_EVENTS, withFailureResponses } from '#client'
import { HandlerKind } from '#contracts'
import { CIRCUIT_METRICS, RESILIENCE_EVENTS } from '#resilience'
import { defineType } from '#schema'
import { EVENTS as LIB_EVENTS } from '../../lib/log-events.ts'
import { EVENTS } from '../log-events.ts'
import { checkProxySettings, OLDER_PROXY_FIELDS, PROXY_FIELDS, PROXY_MIGRATIONS, upstreamOf } from './proxy-settings.ts'

/** Relays requests to the protected application. */
export const ReverseProxyHandler = defineType({
  name: 'ReverseProxyHandler',
  kind: HandlerKind,
  summary: 'Proxies requests to the protected application.',
  target: 'needs',
  metrics: [
    'gw_client_connections_open',
    'gw_client_connections_unresponsive_total',
    'gw_client_requests_running',
    'gw_client_requests_waiting',
    ...CIRCUIT_METRICS,
  ],
  events: [
    LIB_EVENTS.PROXY_PASSWORD_UNREADABLE,
    EVENTS.CONNECTION_UNRESPONSIVE,
    ...Object.values(RESILIENCE_EVENTS),
    ...Object.values(CLIENT_EVENTS),
  ],
  config: PROXY_FIELDS,
  older: OLDER_PROXY_FIELDS,
  migrations: PROXY_MIGRATIONS,
  check: checkProxySettings,
  create: async (settings, env) => withFailureResponses(await upstreamOf(settings, env), env.logger),
})
