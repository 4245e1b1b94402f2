import { type ProxyOptions, ProxyOptionsKind } from '#contracts'
import { isPlainObject, type JsonObject } from '#json'
import {
  atMostOneOf,
  boolean,
  clearTextStore,
  config,
  type DecodedMembers,
  type Environment,
  type FieldMigration,
  needs,
  needsOneOf,
  object,
  ref,
  type Settled,
  string,
  type Warn,
} from '#schema'
import { checkProxyServer, customProxy, PROXY_SERVER_FIELDS } from '../../lib/proxies/custom-proxy.ts'
import { systemProxy } from '../../lib/proxies/system-proxy.ts'

const OLD_PROXY = object(
  {
    ...PROXY_SERVER_FIELDS,
    password: config(string()).optional().meta({
      description: 'Password for the proxy.',
      replacement: 'use passwordSecretId: a password in a file of configuration is seen by all who read it',
      secret: true,
    }),
  },
  {
    rules: [
      atMostOneOf('password', 'passwordSecretId'),
      needsOneOf('username', 'passwordSecretId', 'password'),
      needs('passwordSecretId', 'username'),
      needs('password', 'username'),
    ],
  },
)

/** The fields for a forward proxy of a handler; the deprecated ones take precedence over `proxyOptions`. */
export const FORWARD_PROXY_FIELDS = {
  proxyOptions: ref(ProxyOptionsKind)
    .default('ProxyOptions')
    .meta({ description: 'Selects the forward proxy of requests; by default none.' }),
  proxy: OLD_PROXY.optional().meta({
    description: 'The forward proxy of requests; takes precedence over systemProxy.',
    replacement: 'use proxyOptions with CustomProxyOptions',
  }),
  systemProxy: config(boolean()).default(false).meta({
    description: 'Whether requests are sent through the proxy of the environment.',
    replacement: 'use proxyOptions with SystemProxyOptions',
  }),
}

/** The deprecated fields become objects in `proxyOptions`, over which they take precedence. */
export const FORWARD_PROXY_MIGRATIONS: readonly FieldMigration[] = [
  {
    fields: ['proxy', 'systemProxy'],
    migrate: ({ proxy, systemProxy: bySystem }) => {
      if (isPlainObject(proxy))
        return { proxyOptions: { type: 'CustomProxyOptions', config: proxyServer(proxy as JsonObject) } }
      return bySystem === true
        ? { proxyOptions: { type: 'SystemProxyOptions' } }
        : proxy === undefined && bySystem === false
          ? {}
          : null
    },
  },
]

function proxyServer({ password, ...server }: JsonObject): JsonObject {
  if (password === undefined) return server
  const passwordSecretId = 'proxy.password'
  return {
    ...server,
    passwordSecretId,
    secretsProvider: clearTextStore(passwordSecretId, password, server['secretsProvider']),
  }
}

type ForwardProxyValues = Settled<DecodedMembers<typeof FORWARD_PROXY_FIELDS>>

/** Reports an invalid proxy. */
export function checkForwardProxy(
  { proxy, systemProxy }: ForwardProxyValues,
  report: (path: string, message: string) => void,
  warn: Warn,
): void {
  if (proxy !== undefined && systemProxy) warn('systemProxy has no effect: proxy takes precedence')
  if (proxy !== undefined) checkProxyServer(proxy, (path, message) => report(`/proxy${path}`, message))
}

/** The forward proxy from all fields of the handler. */
export async function forwardProxyOf(values: ForwardProxyValues, env: Environment): Promise<ProxyOptions> {
  const { proxy, systemProxy: bySystem, proxyOptions } = values
  if (proxy === undefined) return bySystem ? systemProxy(env) : proxyOptions
  return customProxy(proxy, env)
}
