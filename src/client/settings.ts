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
  ].join(' ')
}
