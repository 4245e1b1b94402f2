import { ProxyOptionsKind } from '#contracts'
import { defineType } from '#schema'

/** No proxy for any request. */
export const NoProxyOptions = defineType({
  name: 'NoProxyOptions',
  kind: ProxyOptionsKind,
  summary: 'Outgoing requests go straight to their servers.',
  config: {},
  create: () => ({ key: '', proxyFor: () => null }),
})
