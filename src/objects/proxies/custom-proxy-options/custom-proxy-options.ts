import { ProxyOptionsKind } from '#contracts'
import { defineType, needs } from '#schema'
import { checkProxyServer, customProxy, PROXY_SERVER_FIELDS } from '../../lib/proxy/custom-proxy.ts'

/** One proxy for every request. */
export const CustomProxyOptions = defineType({
  name: 'CustomProxyOptions',
  kind: ProxyOptionsKind,
  summary: 'Outgoing requests go through the proxy that is named here.',
  config: PROXY_SERVER_FIELDS,
  rules: [needs('username', 'passwordSecretId'), needs('passwordSecretId', 'username')],
  check: checkProxyServer,
  create: customProxy,
})
