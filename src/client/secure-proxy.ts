import type { ForwardProxy } from '#contracts'
import { DEFAULT_TLS, OutboundContexts } from './tls/outbound-context.ts'
import { SecureConnections, type SecureEvents } from './tls/secure-connection.ts'

/** TLS state of a proxy, with the listeners to its changes. */
interface SecureProxy {
  readonly connections: SecureConnections
  readonly contexts: OutboundContexts
  readonly listeners: Set<() => void>
}

// Cached for the life of the proxy, across clients.
const known = new WeakMap<ForwardProxy, SecureProxy>()

/** Opens a TLS connection to a proxy, and verifies the proxy's own name. */
export function openToProxy(proxy: ForwardProxy, localAddress: string | null, events: SecureEvents): void {
  const { hostname, port } = proxy
  secureProxy(proxy)
    .connections.open({ hostname, port, localAddress }, events)
    .catch((error: Error) => events.failed(error))
}

/** Subscribes to changes of a proxy's keys or trust; returns the unsubscribe function. */
export function onProxyChange(proxy: ForwardProxy, listener: () => void): () => void {
  const { listeners } = secureProxy(proxy)
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Stops watching the keys and trust of a proxy, which may outlive it. Connections that are still opened use the last ones. */
export function releaseProxy(proxy: ForwardProxy): void {
  known.get(proxy)?.contexts.stop()
}

function secureProxy(proxy: ForwardProxy): SecureProxy {
  const before = known.get(proxy)
  if (before !== undefined) return before
  const listeners = new Set<() => void>()
  const contexts = new OutboundContexts(proxy.secure?.tls ?? DEFAULT_TLS, () => {
    for (const listener of [...listeners]) listener()
  })
  const made = { connections: new SecureConnections(contexts, ['http/1.1']), contexts, listeners }
  known.set(proxy, made)
  return made
}
