import type { ConnectionOptions } from 'node:tls'
import { Cluster, Redis } from 'ioredis'
import type { RedisTopology } from './redis-addresses.ts'

export interface RedisCredentials {
  readonly username: string | null
  readonly password: string | null
}

/** Topology, current credentials and TLS options. */
export interface RedisAccess {
  readonly topology: RedisTopology
  readonly credentials: RedisCredentials
  readonly sentinelCredentials: RedisCredentials
  /** Null for plain connections. */
  readonly tls: ConnectionOptions | null
  readonly keyPrefix: string
}

/** The client of one server, of the primary that sentinels name, or of a cluster. */
export type RedisClient = Redis | Cluster

const CONNECT_LIMIT = 5_000
/** Milliseconds without any byte, while commands wait, after which a connection is closed. */
const SOCKET_TIMEOUT = 5_000
const SENTINEL_LIMIT = 1_000
const MAX_DELAY = 2_000
/** Milliseconds between connections that are closed because the server rejects writes: where it stays a replica, each write would close one. */
const MIN_RECONNECT_INTERVAL = 1_000

/** The error of a replica for a write. Before version 7 READONLY is within the error message of a script. */
export const READ_ONLY = /\bREADONLY\b/

const delayBefore = (attempt: number): number =>
  Math.min(50 * 2 ** Math.min(attempt, 6), MAX_DELAY) * (0.5 + Math.random() / 2)

/** The condition, which is false for an interval after it was true. */
function atMostEvery(interval: number, condition: (error: Error) => boolean): (error: Error) => boolean {
  let next = 0
  return (error) => {
    const now = performance.now()
    if (now < next || !condition(error)) return false
    next = now + interval
    return true
  }
}

/** A client that is not connected yet. Commands are not queued while it is disconnected: a late reply is of no use. */
export function redisClient(access: RedisAccess): RedisClient {
  const { topology, credentials, sentinelCredentials, tls, keyPrefix } = access
  const options = {
    ...(credentials.username === null ? {} : { username: credentials.username }),
    ...(credentials.password === null ? {} : { password: credentials.password }),
    ...(tls === null ? {} : { tls }),
    // Every Redis and Valkey supports RESP2, and nothing of RESP3 is needed.
    protocol: 2 as const,
    disableClientInfo: true,
    connectTimeout: CONNECT_LIMIT,
    socketTimeout: SOCKET_TIMEOUT,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    lazyConnect: true,
    retryStrategy: delayBefore,
    // A primary that has become a replica rejects writes: the next connection is to the new primary.
    reconnectOnError: atMostEvery(MIN_RECONNECT_INTERVAL, ({ message }: Error) => READ_ONLY.test(message)),
  }
  if (topology.kind === 'cluster') {
    const { enableOfflineQueue, retryStrategy, ...redisOptions } = options
    return new Cluster([...topology.addresses], {
      redisOptions,
      keyPrefix,
      // No offline queue across reconnects: a command sent while a node is being connected waits for that within its timeout.
      enableOfflineQueue: true,
      // Pipelined commands would fail together where one of them has to go to another node.
      enableAutoPipelining: false,
      lazyConnect: true,
      // Keep host names: certificates are verified against them.
      dnsLookup: (host, done) => done(null, host),
      clusterRetryStrategy: delayBefore,
      // `watchNodes` reconnects lost nodes. When all are lost, the client starts over with the configured addresses, which
      // may resolve to other servers by then; it would not while nodes reconnect on their own.
      clusterNodeRetryStrategy: null,
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
    })
  }
  const common = { ...options, keyPrefix, enableAutoPipelining: true, db: topology.database }
  if (topology.kind === 'single') return new Redis({ ...common, ...topology.address })
  return new Redis({
    ...common,
    sentinels: [...topology.addresses],
    name: topology.primary,
    ...(sentinelCredentials.username === null ? {} : { sentinelUsername: sentinelCredentials.username }),
    ...(sentinelCredentials.password === null ? {} : { sentinelPassword: sentinelCredentials.password }),
    sentinelRetryStrategy: delayBefore,
    // An unresponsive sentinel is skipped.
    sentinelCommandTimeout: SENTINEL_LIMIT,
    ...(tls === null ? {} : { enableTLSForSentinelMode: true, sentinelTLS: tls }),
  })
}
