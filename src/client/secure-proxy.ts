import type { ForwardProxy } from '#contracts'
import { DEFAULT_TLS, OutboundContexts } from './tls/outbound-context.ts'
import { SecureConnections, type SecureEvents } from './tls/secure-connection.ts'

/** The TLS of a proxy, and those who have connections through it. */
interface SecureProxy {
  readonly connections: SecureConnections
  readonly listeners: Set<() => void>
}

// As long as the proxy itself: those who use it come and go.
const known = new WeakMap<ForwardProxy, SecureProxy>()

/** Opens a connection to a proxy that is spoken to in TLS: its certificate is checked for its own name. */
export function openToProxy(proxy: ForwardProxy, localAddress: string | null, events: SecureEvents): void {
  const { hostname, port } = proxy
  secureProxy(proxy)
    .connections.open({ hostname, port, localAddress }, events)
    .catch((error: Error) => events.failed(error))
}

/** Calls back when the keys or the trust of a proxy have changed; gives the way to stop. */
export function onProxyChange(proxy: ForwardProxy, listener: () => void): () => void {
  const { listeners } = secureProxy(proxy)
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function secureProxy(proxy: ForwardProxy): SecureProxy {
  const before = known.get(proxy)
  if (before !== undefined) return before
  const listeners = new Set<() => void>()
  const contexts = new OutboundContexts(proxy.secure?.tls ?? DEFAULT_TLS, () => {
    for (const listener of [...listeners]) listener()
  })
  const made = { connections: new SecureConnections(contexts, ['http/1.1']), listeners }
  known.set(proxy, made)
  return made
}
