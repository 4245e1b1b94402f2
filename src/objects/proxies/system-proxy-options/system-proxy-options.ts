import { ProxyOptionsKind } from '#contracts'
import { defineType } from '#schema'
import { systemProxy } from '../../lib/proxies/system-proxy.ts'

/** The proxy of the environment of the gateway. */
export const SystemProxyOptions = defineType({
  name: 'SystemProxyOptions',
  kind: ProxyOptionsKind,
  summary: 'Sends outgoing requests through the proxy in HTTP_PROXY and HTTPS_PROXY.',
  config: {},
  create: (_config, env) => systemProxy(env),
})
