import type { ForwardProxy } from '#contracts'
import { DEFAULT_TLS, OutboundContexts } from './tls/outbound-context.ts'
import { SecureConnections, type SecureEvents } from './tls/secure-connection.ts'

const NOTHING_TO_DO = (): void => {}

// As long as the proxy itself: those who use it come and go.
const known = new WeakMap<ForwardProxy, SecureConnections>()

/** Opens a connection to a proxy that is spoken to in TLS: its certificate is checked for its own name. */
export function openToProxy(proxy: ForwardProxy, localAddress: string | null, events: SecureEvents): void {
  const { hostname, port } = proxy
  connectionsTo(proxy)
    .open({ hostname, port, localAddress }, events)
    .catch((error: Error) => events.failed(error))
}

function connectionsTo(proxy: ForwardProxy): SecureConnections {
  const connections =
    known.get(proxy) ??
    new SecureConnections(new OutboundContexts(proxy.secure?.tls ?? DEFAULT_TLS, NOTHING_TO_DO), ['http/1.1'])
  known.set(proxy, connections)
  return connections
}
