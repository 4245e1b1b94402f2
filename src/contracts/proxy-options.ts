import { kind } from '#schema'
import type { ClientTls } from './tls.ts'

export interface ForwardProxy {
  readonly hostname: string
  readonly port: number
  /** Set where the connection to the proxy uses TLS; null for the default options. */
  readonly secure?: { readonly tls: ClientTls | null }
  /** The current value of Proxy-Authorization; null without authentication. */
  authorization(): string | null
}

/** Chooses the proxy of a request, if any. */
export interface ProxyOptions {
  /** Options with equal keys choose the same proxies: handlers with them can share connections. */
  readonly key: string
  /** The proxy for a server; null for a direct connection. The name of an IPv6 server has no brackets. */
  proxyFor(scheme: string, hostname: string, port: number): ForwardProxy | null
}

export const ProxyOptionsKind = kind<ProxyOptions>('ProxyOptions')
