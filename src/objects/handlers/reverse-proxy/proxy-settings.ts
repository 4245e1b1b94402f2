import { acquireClient, UpstreamError } from '#client'
import { type Send, TemporaryStorageKind, type Upstream, UpstreamContext, UpstreamKind } from '#contracts'
import { BodyTooLargeError, type Handler, type TemporaryStorage } from '#http'
import { isFailure, openServerCircuits, withResilience } from '#resilience'
import {
  boolean,
  config,
  type DecodedMembers,
  duration,
  type Environment,
  type FieldMigration,
  ignored,
  integer,
  json,
  map,
  type OlderSpelling,
  oneOf,
  ref,
  renamed,
  type Settled,
  type Warn,
} from '#schema'
import { CIRCUIT_BREAKER_FIELD, checkCircuit } from '../../lib/limits/circuit-fields.ts'
import { checkClientOptions, clientOptionsOf } from './client-options.ts'
import { DISALLOWED_OPTIONS } from './disallowed-options.ts'
import {
  checkForwardProxy,
  FORWARD_PROXY_FIELDS,
  FORWARD_PROXY_MIGRATIONS,
  forwardProxyOf,
} from './forward-proxy-settings.ts'
import { checkHttpVersion, HTTP_VERSION_FIELDS, http2Of } from './http-version-settings.ts'
import { measurePool } from './pool-metrics.ts'
import { RETRIES_FIELD } from './retry-fields.ts'
import { checkTls, TLS_FIELDS, TLS_MIGRATION, tlsOf } from './tls-settings.ts'
import { addVia, checkVia, VIA_FIELD } from './via.ts'
import { checkWebSocket, WEBSOCKET_FIELD, withWebSocket } from './websocket-settings.ts'

/** The fields of every handler that sends requests to other servers. */
export const PROXY_FIELDS = {
  connections: config(integer({ min: 1 }))
    .default(64)
    .meta({
      description:
        'Maximum of open connections to one server, in the whole gateway: units share them by demand. At most 65536.',
    }),
  connectionTimeout: config(duration({ zero: false }))
    .default('10 seconds')
    .meta({ description: 'Maximum wait for a connection: to be established (502), or to become free (503).' }),
  soTimeout: config(duration({ zero: false }))
    .default('10 seconds')
    .meta({
      description:
        'Maximum time without data of the server while data are expected: 504 before the response, a truncated response within it.',
    }),
  connectionTimeToLive: config(duration({ zero: false }))
    .default('unlimited')
    .meta({ description: 'Age after which a connection is not reused.' }),
  disableReuseConnection: config(boolean())
    .default(false)
    .meta({ description: 'Whether each request uses a new connection.' }),
  stateTrackingEnabled: config(boolean()).default(true).meta({
    description:
      'Whether connections with a client certificate are used for one request only. Others are not affected.',
  }),
  numberOfWorkers: config(integer({ min: 1 }))
    .optional()
    .meta({
      description: 'Threads for outgoing requests.',
      unsupported: 'requests are sent by the unit that received them; set the number of units instead',
    }),
  asyncBehavior: config(oneOf(['streaming', 'non_streaming']))
    .optional()
    .meta({
      description:
        'streaming: a response is passed on while it arrives. non_streaming: only when it is completely buffered in the temporary storage. Not set: by streamingEnabled of admin.json.',
    }),
  temporaryStorage: ref(TemporaryStorageKind).optional().meta({
    description:
      'Storage of buffered responses (non_streaming); the TemporaryStorage of the heap by default. Over its limit: 502.',
  }),
  upstream: ref(UpstreamKind).optional().meta({
    description:
      'Service that chooses the server of each attempt, in place of scheme, host and port of the URI; a baseURI has no effect.',
  }),
  ...HTTP_VERSION_FIELDS,
  ...FORWARD_PROXY_FIELDS,
  ...TLS_FIELDS,
  retries: RETRIES_FIELD,
  circuitBreaker: CIRCUIT_BREAKER_FIELD,
  via: VIA_FIELD,
  websocket: WEBSOCKET_FIELD,
  vertx: config(
    map(config(json()), {
      except: DISALLOWED_OPTIONS,
      reason: 'is not allowed here; use the fields of the handler',
    }),
  )
    .default({})
    .meta({
      description:
        'Further options of the HTTP client: maxWaitQueueSize (requests that may wait for a connection to one server, in the whole gateway: 10000; -1 for any number), maxHeaderSize (bytes of a response head: 65536), keepAlive, keepAliveTimeout (seconds: 4), http2MaxPoolSize, http2MultiplexingLimit, http2KeepAliveTimeout (seconds: 60), localAddress.',
    }),
}

/** Fields of other dialects. */
export const OLDER_PROXY_FIELDS: readonly OlderSpelling[] = [
  renamed('waitQueueSize', 'vertx.maxWaitQueueSize'),
  ignored('propagateDisconnection', 'the request to the server is always aborted when its client disconnects'),
  ignored('connectionShutdownGracePeriod', 'idle connections are closed at once, others after their response'),
]

/** Conversions of deprecated fields in files. */
export const PROXY_MIGRATIONS: readonly FieldMigration[] = [...FORWARD_PROXY_MIGRATIONS, TLS_MIGRATION]

/** The settled fields of a handler that sends requests to other servers. */
type ProxySettings = Settled<DecodedMembers<typeof PROXY_FIELDS>>

/** Reports invalid settled values, and warns of those without effect. */
export function checkProxySettings(
  settings: ProxySettings,
  report: (path: string, message: string) => void,
  warn: Warn,
): void {
  if (settings.circuitBreaker !== undefined) checkCircuit(settings.circuitBreaker, '/circuitBreaker', report)
  checkForwardProxy(settings, report, warn)
  checkVia(settings.via, report)
  checkWebSocket(settings.websocket, report, warn)
  checkClientOptions(settings.vertx, report, warn)
  checkHttpVersion(settings, warn)
  checkTls(settings, warn)
}

/** A handler that sends each request to the server in its URI, and throws an UpstreamError where no response arrived. */
export async function upstreamOf(settings: ProxySettings, env: Environment): Promise<Handler> {
  const { connections, vertx, asyncBehavior, temporaryStorage, ...others } = settings
  const tls = await tlsOf(settings)
  const proxy = await forwardProxyOf(settings, env)
  const client = acquireClient({
    connections,
    permits: env.connectionPermits,
    connectionTimeout: others.connectionTimeout,
    soTimeout: others.soTimeout,
    disableReuseConnection: others.disableReuseConnection,
    connectionTimeToLive: others.connectionTimeToLive,
    tls,
    stateTracking: others.stateTrackingEnabled,
    proxy,
    ownListeners: env.ownListeners,
    ...clientOptionsOf(vertx, http2Of(settings, tls), env),
  })
  env.onDispose(() => client.release())
  measurePool(client, env)
  const plain: Handler = (exchange) => client.send(exchange, exchange.request)
  const relay = await withWebSocket(plain, settings, { tls, proxy }, env)
  const send = others.via === undefined ? relay : addVia(relay, others.via)
  // The field of the handler takes precedence over admin.json (decisions 4).
  const streams = asyncBehavior === undefined ? env.settings.streamingEnabled : asyncBehavior === 'streaming'
  if (streams && temporaryStorage !== undefined) {
    env.warn(
      'temporaryStorage has no effect: responses are streamed; set asyncBehavior to non_streaming to buffer them',
    )
  }
  const attempt = streams ? send : bufferResponses(send, temporaryStorage ?? null)
  await settings.upstream?.checkWith(tls)
  return balanced(attempt, settings, env)
}

/** Chooses a server for each attempt, where a service has several. */
async function balanced(
  attempt: Handler,
  settings: Pick<ProxySettings, 'upstream' | 'circuitBreaker' | 'retries'>,
  env: Environment,
): Promise<Handler> {
  const { upstream, circuitBreaker } = settings
  if (upstream !== undefined) {
    const circuits = circuitBreaker?.enabled ? await openServerCircuits(circuitBreaker, upstream.capacity, env) : null
    const send = await withResilience(upstream.through(attempt, { circuits, isFailure }), settings, env)
    // A copy: filters and other branches keep the URI of theirs.
    return (exchange) => send(exchange.withRequest(exchange.request.clone()))
  }
  const sends = new WeakMap<Upstream, Send>()
  const sendThrough = (service: Upstream): Send => {
    const known = sends.get(service) ?? service.through(attempt, { circuits: null, isFailure })
    sends.set(service, known)
    return known
  }
  const send: Send = (exchange, tried) => {
    const service = exchange.contexts === null ? null : (exchange.context(UpstreamContext)?.upstream ?? null)
    return service === null ? attempt(exchange) : sendThrough(service)(exchange, tried)
  }
  return withResilience(send, settings, env)
}

/** Buffers responses: one that is malformed, late or too large is then an error response instead of a truncated one. */
function bufferResponses(send: Handler, storage: TemporaryStorage | null): Handler {
  return async (exchange) => {
    const response = await send(exchange)
    const { body } = response
    try {
      await body.buffer(storage ?? exchange.storage)
    } catch (error) {
      body.cancel()
      throw error instanceof BodyTooLargeError ? new UpstreamError('GW_UPSTREAM_TOO_LARGE', error) : error
    }
    // Deletes the file of a response that a filter discards.
    exchange.onComplete(() => body.cancel())
    return response
  }
}
