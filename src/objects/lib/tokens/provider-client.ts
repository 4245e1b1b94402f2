import { acquireClient } from '#client'
import { type TrustManager, TrustManagerKind } from '#contracts'
import type { Handler } from '#http'
import { type Environment, listOrOne, ref } from '#schema'
import { joinTrust } from '../tls/joined-managers.ts'
import { limitsOf } from '../tls/limit-fields.ts'

/** The field `trust` of objects that represent an authorization server. */
export const TRUST_FIELD = listOrOne(ref(TrustManagerKind)).optional().meta({
  description:
    'Trusted certificate authorities of the authorization server, for every request to it; those of the platform by default.',
})

const CONNECTIONS = 64
const TIMEOUT = 10_000

/** The handler for requests to an authorization server: with `trust` a new one that trusts those managers alone. */
export async function providerHandler(
  trust: readonly TrustManager[] | undefined,
  handler: Handler,
  env: Environment,
): Promise<Handler> {
  if (trust === undefined) return handler
  const tls = {
    ...limitsOf({ sslCipherSuites: undefined, sslEnabledProtocols: undefined }, true),
    keys: null,
    trust: joinTrust(trust),
    hostnames: 'STRICT',
  } as const
  // An unusable trust manager is reported at load, not by the first request.
  await tls.trust?.authorities()
  const client = acquireClient({
    connections: CONNECTIONS,
    permits: env.connectionPermits,
    connectionTimeout: TIMEOUT,
    soTimeout: TIMEOUT,
    disableReuseConnection: false,
    connectionTimeToLive: Number.POSITIVE_INFINITY,
    maxWaitQueueSize: 1_000,
    tls,
    ownListeners: env.ownListeners,
  })
  env.onDispose(() => client.release())
  return (exchange) => client.send(exchange, exchange.request)
}
