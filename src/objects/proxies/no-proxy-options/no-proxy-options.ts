import { ProxyOptionsKind } from '#contracts'
import { defineType } from '#schema'

/** No proxy for any request. */
export const NoProxyOptions = defineType({
  name: 'NoProxyOptions',
  kind: ProxyOptionsKind,
  summary: 'Sends outgoing requests directly, without a proxy.',
  config: {},
  create: () => ({ key: '', proxyFor: () => null }),
})
