import { withFailureResponses } from '#client'
import { HandlerKind } from '#contracts'
import { defineType } from '#schema'
import { checkProxySettings, OLDER_PROXY_FIELDS, PROXY_FIELDS, PROXY_MIGRATIONS, upstreamOf } from './proxy-settings.ts'
import { PROXY_EVENTS, PROXY_METRICS } from './proxy-signals.ts'

/** Relays requests to the protected application. */
export const ReverseProxyHandler = defineType({
  name: 'ReverseProxyHandler',
  kind: HandlerKind,
  summary: 'Proxies requests to the protected application.',
  target: 'needs',
  metrics: PROXY_METRICS,
  events: PROXY_EVENTS,
  config: PROXY_FIELDS,
  older: OLDER_PROXY_FIELDS,
  migrations: PROXY_MIGRATIONS,
  check: checkProxySettings,
  create: async (settings, env) => withFailureResponses(await upstreamOf(settings, env), env.logger),
})
