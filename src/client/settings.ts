import type { ClientTls, ProxyOptions } from '#contracts'
import type { OwnListeners } from '#schema'

/** How a client connects; clients of equal settings share their connections. Times are milliseconds. */
export interface ClientSettings {
  /** Connections to one origin at the same time; the caller has already divided the gateway's limit by its units. */
  readonly connections: number
  /** Longest wait for a connection: to be established (502), or to become free (503). */
  readonly connectionTimeout: number
  /** Longest silence of the upstream while it is its turn. */
  readonly soTimeout: number
  /** Every request gets a connection of its own. */
  readonly disableReuseConnection: boolean
  /** Age at which a connection takes no further request; `Infinity` for none. */
  readonly connectionTimeToLive: number
  /** Requests that may wait for a connection of one origin; one more is answered 503. */
  readonly maxWaitQueueSize: number
  /** How TLS is spoken; null for the ordinary way. */
  readonly tls?: ClientTls | null
  /** Connections on which a client certificate may have been shown are used once only (spec, stateTrackingEnabled). */
  readonly stateTracking?: boolean
  /** Which requests go through a proxy; null for none. */
  readonly proxy?: ProxyOptions | null
  /** Where HTTP/2 is spoken; null for nowhere. */
  readonly http2?: Http2Settings | null
  /** Longest head of a response, 64 KiB by default. */
  readonly maxHeaderBytes?: number
  /** How long an idle HTTP/1.1 connection is kept where the server says nothing about it. */
  readonly idleTime?: number
  /** The address connections are made from. */
  readonly localAddress?: string | null
  /** The connectors of this gateway: requests of clients that would come back to one are refused. */
  readonly ownListeners?: OwnListeners | null
}

/** When and how HTTP/2 is spoken. */
export interface Http2Settings {
  /** Whether it is offered where TLS is spoken. */
  readonly overTls: boolean
  /** In the clear: not at all, if the server changes to it when asked, or without asking. */
  readonly inClear: 'never' | 'asked' | 'known'
  /** Connections to one origin at the same time; not more than `connections` in any case. */
  readonly maxSessions?: number | null
  /** Requests on one connection at the same time; as many as the server allows by default. */
  readonly maxStreams?: number | null
  /** How long an idle connection is kept. */
  readonly idleTime?: number | null
}

const identities = new WeakMap<object, number>()
let lastIdentity = 0

/** Objects with something behind them, such as keys: only the same object is equal. */
function identityOf(object: object | null | undefined): number {
  if (object === null || object === undefined) return 0
  const known = identities.get(object) ?? ++lastIdentity
  identities.set(object, known)
  return known
}

/** The name under which clients of equal settings find each other. */
export function settingsKey(settings: ClientSettings): string {
  return [
    settings.connections,
    settings.connectionTimeout,
    settings.soTimeout,
    settings.disableReuseConnection,
    settings.connectionTimeToLive,
    settings.maxWaitQueueSize,
    identityOf(settings.tls),
    settings.stateTracking === true,
    settings.proxy?.key ?? '',
    Object.values(settings.http2 ?? {}).join('/'),
    settings.maxHeaderBytes,
    settings.idleTime,
    settings.localAddress,
    identityOf(settings.ownListeners),
  ].join(' ')
}
