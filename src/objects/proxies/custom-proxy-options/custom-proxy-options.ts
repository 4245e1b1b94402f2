import { ProxyOptionsKind } from '#contracts'
import { defineType, needs } from '#schema'
import { checkProxyServer, customProxy, PROXY_SERVER_FIELDS } from '../../lib/proxies/custom-proxy.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/proxies/log-events.ts'

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
