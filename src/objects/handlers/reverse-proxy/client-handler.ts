import { dropReservedCookies } from '#client'
import { HandlerKind } from '#contracts'
import { boolean, config, defineType } from '#schema'
import { checkProxySettings, OLDER_PROXY_FIELDS, PROXY_FIELDS, PROXY_MIGRATIONS, upstreamOf } from './proxy-settings.ts'
import { PROXY_EVENTS, PROXY_METRICS } from './proxy-signals.ts'

/** Sends internal requests; throws where no response arrived. */
export const ClientHandler = defineType({
  name: 'ClientHandler',
  kind: HandlerKind,
  summary: 'Sends internal requests of the gateway to other services.',
  target: 'needs',
  metrics: PROXY_METRICS,
  events: PROXY_EVENTS,
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
