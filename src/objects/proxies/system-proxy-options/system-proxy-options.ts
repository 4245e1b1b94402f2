import { ProxyOptionsKind } from '#contracts'
import { defineType } from '#schema'
import { systemProxy } from '../../lib/proxy/system-proxy.ts'

/** The proxy of the environment of the gateway. */
export const SystemProxyOptions = defineType({
  name: 'SystemProxyOptions',
  kind: ProxyOptionsKind,
  summary: 'Outgoing requests go through the proxy that the environment names.',
  config: {},
  create: (_config, env) => systemProxy(env),
})
