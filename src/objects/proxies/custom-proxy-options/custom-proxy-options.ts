import { ProxyOptionsKind } from '#contracts'
import { defineType, needs } from '#schema'
import { EVENTS as LIB_EVENTS } from '../../lib/log-events.ts'
import { checkProxyServer, customProxy, PROXY_SERVER_FIELDS } from '../../lib/proxy/custom-proxy.ts'

/** One proxy for every request. */
export const CustomProxyOptions = defineType({
  name: 'CustomProxyOptions',
  kind: ProxyOptionsKind,
  summary: 'Sends outgoing requests through a configured proxy.',
  events: [LIB_EVENTS.PROXY_PASSWORD_UNREADABLE],
  config: PROXY_SERVER_FIELDS,
  rules: [needs('username', 'passwordSecretId'), needs('passwordSecretId', 'username')],
  check: checkProxyServer,
  create: customProxy,
})
