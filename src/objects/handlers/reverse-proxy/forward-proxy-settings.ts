import { type ProxyOptions, ProxyOptionsKind } from '#contracts'
import {
  atMostOneOf,
  boolean,
  config,
  type DecodedMembers,
  type Environment,
  needs,
  object,
  ref,
  type Settled,
  string,
} from '#schema'
import { checkProxyServer, customProxy, PROXY_SERVER_FIELDS } from '../../lib/proxy/custom-proxy.ts'
import { systemProxy } from '../../lib/proxy/system-proxy.ts'

const OLD_PROXY = object(
  {
    ...PROXY_SERVER_FIELDS,
    password: config(string()).optional().meta({
      description: 'Password at the proxy.',
      replacement: 'use passwordSecretId: a password in a file of configuration is seen by all who read it',
      secret: true,
    }),
  },
  { rules: [atMostOneOf('password', 'passwordSecretId'), needs('passwordSecretId', 'username')] },
)

/** The fields by which a handler chooses a forward proxy; the old ones go before `proxyOptions`. */
export const FORWARD_PROXY_FIELDS = {
  proxyOptions: ref(ProxyOptionsKind)
    .default('ProxyOptions')
    .meta({ description: 'Chooses the proxy through which requests go; by default none.' }),
  proxy: OLD_PROXY.optional().meta({
    description: 'The proxy through which requests go; goes before systemProxy.',
    replacement: 'use proxyOptions with CustomProxyOptions',
  }),
  systemProxy: config(boolean()).default(false).meta({
    description: 'Whether requests go through the proxy that the environment names.',
    replacement: 'use proxyOptions with SystemProxyOptions',
  }),
}

type ForwardProxyValues = Settled<DecodedMembers<typeof FORWARD_PROXY_FIELDS>>

/** Reports an invalid proxy. */
export function checkForwardProxy(
  { proxy }: ForwardProxyValues,
  report: (path: string, message: string) => void,
): void {
  if (proxy !== undefined) checkProxyServer(proxy, (path, message) => report(`/proxy${path}`, message))
}

/** What the handler's fields say about proxies, taken together. */
export async function forwardProxyOf(values: ForwardProxyValues, env: Environment): Promise<ProxyOptions> {
  const { proxy, systemProxy: bySystem, proxyOptions } = values
  if (proxy === undefined) return bySystem ? systemProxy(env) : proxyOptions
  if (bySystem) env.warn('systemProxy has no effect: proxy goes before it')
  return customProxy(proxy, env)
}
