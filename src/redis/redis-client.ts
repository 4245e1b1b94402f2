import type { ConnectionOptions } from 'node:tls'
import { Cluster, Redis } from 'ioredis'
import type { RedisTopology } from './redis-addresses.ts'

/** Who the gateway is at a server. */
export interface RedisCredentials {
  readonly username: string | null
  readonly password: string | null
}

/** How to reach Redis, with passwords as they are now. */
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
/** A connection on which commands wait this long for any byte is dead, whatever the operating system believes. */
const SILENCE_LIMIT = 5_000
const SENTINEL_LIMIT = 1_000
const MAX_DELAY = 2_000

const delayBefore = (attempt: number): number =>
  Math.min(50 * 2 ** Math.min(attempt, 6), MAX_DELAY) * (0.5 + Math.random() / 2)

/** A client that is not connected yet. Commands are never queued offline: a late decision is of no use. */
export function redisClient(access: RedisAccess): RedisClient {
  const { topology, credentials, sentinelCredentials, tls, keyPrefix } = access
  const options = {
    ...(credentials.username === null ? {} : { username: credentials.username }),
    ...(credentials.password === null ? {} : { password: credentials.password }),
    ...(tls === null ? {} : { tls }),
    // RESP2 is what every Redis and Valkey speaks, and all that is needed here.
    protocol: 2 as const,
    disableClientInfo: true,
    connectTimeout: CONNECT_LIMIT,
    socketTimeout: SILENCE_LIMIT,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    lazyConnect: true,
    retryStrategy: delayBefore,
    // A primary that has become a replica takes no writes: the next connection finds the new primary. Before version 7
    // the word stands within what the script says.
    reconnectOnError: ({ message }: Error) => /\bREADONLY\b/.test(message),
  }
  if (topology.kind === 'cluster') {
    const { enableOfflineQueue, retryStrategy, ...redisOptions } = options
    return new Cluster([...topology.addresses], {
      redisOptions,
      keyPrefix,
      // No offline queue across reconnects: a command sent while a node is being connected waits for that within its timeout.
      enableOfflineQueue: true,
      // Commands that were gathered would fail together where one of them has to go to another node.
      enableAutoPipelining: false,
      lazyConnect: true,
      // Certificates name hosts, not the addresses that a name stands for.
      dnsLookup: (host, done) => done(null, host),
      clusterRetryStrategy: delayBefore,
      // `watchNodes` looks for lost nodes. When all are lost, the client starts over with the addresses it was
      // given, which may lead elsewhere by then; it would not while nodes try to connect again by themselves.
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
    // The next sentinel is used where one is unresponsive.
    sentinelCommandTimeout: SENTINEL_LIMIT,
    ...(tls === null ? {} : { enableTLSForSentinelMode: true, sentinelTLS: tls }),
  })
}
