import { CLIENT_EVENTS, dropReservedCookies } from '#client'
import { HandlerKind } from '#contracts'
import { CIRCUIT_METRICS, RESILIENCE_EVENTS } from '#resilience'
import { boolean, config, defineType } from '#schema'
import { EVENTS as LIB_EVENTS } from '../../lib/log-events.ts'
import { EVENTS } from '../log-events.ts'
import { checkProxySettings, OLDER_PROXY_FIELDS, PROXY_FIELDS, PROXY_MIGRATIONS, upstreamOf } from './proxy-settings.ts'

/** Sends internal requests; throws where no response arrived. */
export const ClientHandler = defineType({
  name: 'ClientHandler',
  kind: HandlerKind,
  summary: 'Sends internal requests of the gateway to other services.',
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
  config: {
    ...PROXY_FIELDS,
    disableRetries: config(boolean()).default(false).meta({
      description: 'True: no retries, also with `retries`.',
      replacement: 'leave retries out, which is the same',
    }),
  },
  older: OLDER_PROXY_FIELDS,
  migrations: [
    ...PROXY_MIGRATIONS,
    {
      fields: ['disableRetries'],
      migrate: ({ disableRetries }) => (disableRetries === false ? {} : { retries: null }),
    },
  ],
  check: checkProxySettings,
  create: async ({ disableRetries, ...settings }, env) => {
    const send = await upstreamOf(disableRetries ? { ...settings, retries: undefined } : settings, env)
    return async (exchange) => dropReservedCookies(await send(exchange), exchange, env.logger)
  },
})
