import { kind } from '#schema'
import type { ClientTls } from './tls.ts'

/** A server that passes requests on to others. */
export interface ForwardProxy {
  readonly hostname: string
  readonly port: number
  /** Set where TLS is spoken to the proxy itself: how, or null for the ordinary way. */
  readonly secure?: { readonly tls: ClientTls | null }
  /** The value of Proxy-Authorization as it is now; null where the proxy wants none. */
  authorization(): string | null
}

/** Chooses the proxy of a request, if any. */
export interface ProxyOptions {
  /** Options of equal keys choose alike: their users can share connections. */
  readonly key: string
  /** The proxy on the way to a server; null where the way is direct. The name of an IPv6 server has no brackets. */
  proxyFor(scheme: string, hostname: string, port: number): ForwardProxy | null
}

/** Objects that choose the proxy for outgoing requests. */
export const ProxyOptionsKind = kind<ProxyOptions>('ProxyOptions')
