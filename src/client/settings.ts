import type { ClientTls, ProxyOptions } from '#contracts'
import type { OwnListeners, PermitStore } from '#schema'

/** Settings of a client; clients of equal settings share their connections. Times are milliseconds. */
export interface ClientSettings {
  /** Concurrent connections to one origin, of all units that share `permits`. */
  readonly connections: number
  /** Longest wait for a connection: to be established (502), or to become free (503). */
  readonly connectionTimeout: number
  /** Longest time without a byte while the upstream is awaited. */
  readonly soTimeout: number
  /** Uses each connection for one request. */
  readonly disableReuseConnection: boolean
  /** Age after which a connection gets no further request; `Infinity` for none. */
  readonly connectionTimeToLive: number
  /** Length of the queue of one origin; beyond it requests get 503. */
  readonly maxWaitQueueSize: number
  /** TLS settings; null for the defaults. */
  readonly tls?: ClientTls | null
  /** Uses connections with a client certificate once only (spec, stateTrackingEnabled). */
  readonly stateTracking?: boolean
  /** Selects the forward proxy of a request; null for none. */
  readonly proxy?: ProxyOptions | null
  /** HTTP/2 settings; null for HTTP/1.1 only. */
  readonly http2?: Http2Settings | null
  /** Limit of a response head, 64 KiB by default. */
  readonly maxHeaderBytes?: number
  /** Keep-alive time of HTTP/1.1 connections without a Keep-Alive header. */
  readonly idleTime?: number
  /** Local address of connections. */
  readonly localAddress?: string | null
  /** The connectors of this gateway, for loop detection. */
  readonly ownListeners?: OwnListeners | null
  /** Limits the connections of all units; null for limits of this thread alone. */
  readonly permits?: PermitStore | null
}

/** HTTP/2 settings. */
interface Http2Settings {
  /** Whether ALPN offers h2. */
  readonly overTls: boolean
  /** HTTP/2 without TLS. */
  readonly inClear: 'off' | 'h2c-upgrade' | 'prior-knowledge'
  /** Concurrent connections to one origin; at most `connections`. */
  readonly maxSessions?: number | null
  /** Concurrent streams of one connection; by default as many as the server allows. */
  readonly maxStreams?: number | null
  /** Keep-alive time of idle connections. */
  readonly idleTime?: number | null
}

const identities = new WeakMap<object, number>()
let lastIdentity = 0

/** Objects compared by identity, such as keys. */
function identityOf(object: object | null | undefined): number {
  if (object === null || object === undefined) return 0
  const known = identities.get(object) ?? ++lastIdentity
  identities.set(object, known)
  return known
}

/** Equal settings have equal keys. */
export function settingsKey(settings: ClientSettings): string {
  return [
    plainSettings(settings),
    identityOf(settings.tls),
    settings.proxy?.key ?? '',
    identityOf(settings.ownListeners),
    identityOf(settings.permits),
  ].join(' ')
}

/** The key of the connection limit of an origin: the same in all units, unlike the identity of keys and proxies. */
export function permitKey(settings: ClientSettings, origin: string): string {
  return `${origin} ${plainSettings(settings)}`
}

function plainSettings(settings: ClientSettings): string {
  return [
    settings.connections,
    settings.connectionTimeout,
    settings.soTimeout,
    settings.disableReuseConnection,
    settings.connectionTimeToLive,
    settings.maxWaitQueueSize,
    settings.stateTracking === true,
    Object.values(settings.http2 ?? {}).join('/'),
    settings.maxHeaderBytes,
    settings.idleTime,
    settings.localAddress,
  ].join(' ')
}
