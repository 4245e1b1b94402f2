import { WebSocketClient } from '#client'
import { type ClientTls, ClientTlsKind, type ProxyOptions } from '#contracts'
import type { Handler } from '#http'
import {
  boolean,
  config,
  type DecodedMembers,
  duration,
  type Environment,
  integer,
  json,
  map,
  object,
  ref,
  renames,
  type Settled,
} from '#schema'
import { DISALLOWED_OPTIONS } from './disallowed-options.ts'
import { TLS_FIELDS, TLS_MIGRATION, tlsOf } from './tls-settings.ts'

const PER_MESSAGE = 'tryUsePerMessageWebSocketCompression'
const PER_FRAME = 'tryUsePerFrameWebSocketCompression'
const MAX_WEB_SOCKETS = 'maxWebSockets'
const KNOWN_OPTIONS: ReadonlySet<string> = new Set([PER_MESSAGE, PER_FRAME, MAX_WEB_SOCKETS])
/** Close to the number of ports that one address can use for one server. */
const DEFAULT_MAX_WEB_SOCKETS = 20_000

const FIELDS = {
  enabled: config(boolean()).default(false).meta({
    description:
      'Whether WebSocket upgrades are relayed; if not, the request is forwarded without the upgrade, unless the URI of the server has the scheme ws or wss.',
  }),
  connectionTimeout: config(duration({ zero: false }))
    .optional()
    .meta({ description: 'Maximum wait for a WebSocket connection; connectionTimeout of the handler by default.' }),
  soTimeout: config(duration({ zero: false }))
    .optional()
    .meta({
      description:
        'Idle time in both directions after which a connection is destroyed. Not set: idle endpoints are pinged, and the connection is closed if one does not respond for soTimeout of the handler.',
    }),
  numberOfSelectors: config(integer({ min: 1 }))
    .default(2)
    .meta({
      description: 'Threads for WebSocket connections.',
      unsupported: 'connections are relayed by the unit that accepted them; set the number of units instead',
    }),
  tls: ref(ClientTlsKind).optional().meta({
    description: 'TLS options of WebSocket connections; those of the handler by default.',
  }),
  keyManager: TLS_FIELDS.keyManager,
  trustManager: TLS_FIELDS.trustManager,
  sslCipherSuites: TLS_FIELDS.sslCipherSuites,
  sslContextAlgorithm: TLS_FIELDS.sslContextAlgorithm,
  sslEnabledProtocols: TLS_FIELDS.sslEnabledProtocols,
  vertx: config(
    map(config(json()), {
      except: DISALLOWED_OPTIONS,
      reason: 'is not allowed here; use the fields of the handler',
    }),
  )
    .default({ [PER_FRAME]: true, [PER_MESSAGE]: true })
    .meta({
      description: `Further options. ${PER_MESSAGE}, ${PER_FRAME}: false removes the compression offer from the handshake. ${MAX_WEB_SOCKETS}: maximum of open connections to one server, in the whole gateway: ${DEFAULT_MAX_WEB_SOCKETS}; -1 for any number. Each unit gets an even share, at least one.`,
    }),
}

/** The field `websocket` of a handler. */
export const WEBSOCKET_FIELD = object(FIELDS, {
  migrations: [TLS_MIGRATION],
  older: renames({ maxConnections: `vertx.${MAX_WEB_SOCKETS}` }),
})
  .default({})
  .meta({ description: 'Relaying of WebSocket connections.' })

/** The field and the fields of its handler that affect WebSocket. */
interface WebSocketValues {
  readonly connectionTimeout: number
  readonly soTimeout: number
  readonly websocket: Settled<DecodedMembers<typeof FIELDS>>
}

/** Reports invalid settled values. */
export function checkWebSocket(
  { vertx }: Settled<DecodedMembers<typeof FIELDS>>,
  report: (path: string, message: string) => void,
  warn: (message: string) => void,
): void {
  for (const option of Object.keys(vertx))
    if (!KNOWN_OPTIONS.has(option)) warn(`websocket.vertx.${option}: has no counterpart here and is ignored`)
  for (const option of [PER_MESSAGE, PER_FRAME]) {
    const value = vertx[option]
    if (value !== undefined && typeof value !== 'boolean') {
      report(`/websocket/vertx/${option}`, `expected true or false, got ${JSON.stringify(value)}`)
    }
  }
  const most = vertx[MAX_WEB_SOCKETS] ?? DEFAULT_MAX_WEB_SOCKETS
  if (!/^(-1|[1-9]\d{0,8})$/.test(String(most))) {
    report(
      `/websocket/vertx/${MAX_WEB_SOCKETS}`,
      `expected -1 or an integer of at least 1, got ${JSON.stringify(most)}`,
    )
  }
}

/**
 * Sends WebSocket handshakes over separate connections, where that is enabled or the URI has a WebSocket scheme, and other requests by
 * `plain`.
 */
export async function withWebSocket(
  plain: Handler,
  { connectionTimeout, soTimeout, websocket }: WebSocketValues,
  handler: { readonly tls: ClientTls | null; readonly proxy: ProxyOptions },
  env: Environment,
): Promise<Handler> {
  const { enabled, vertx } = websocket
  const tls = websocket.tls ?? handler.tls ?? undefined
  const client = new WebSocketClient({
    connectionTimeout: websocket.connectionTimeout ?? connectionTimeout,
    maxConnections: maxConnectionsOf(vertx, env.units),
    soTimeout: websocket.soTimeout ?? soTimeout,
    idleTime: websocket.soTimeout ?? null,
    heartbeatTime: soTimeout,
    tls: await tlsOf({ ...websocket, tls, hostnameVerifier: undefined }),
    proxy: handler.proxy,
    ownListeners: env.ownListeners,
    subProtocols: env.settings.webSocketSubProtocols,
    withheldExtensions: withheld(vertx),
  })
  env.onDispose(() => client.release())
  return (exchange) => {
    const { request } = exchange
    const mayUpgrade = enabled || request.uri.isWebSocket
    return mayUpgrade && WebSocketClient.isAskedFor(request) ? client.upgrade(exchange, request) : plain(exchange)
  }
}

function maxConnectionsOf(vertx: Readonly<Record<string, unknown>>, units: number): number {
  const most = Number(vertx[MAX_WEB_SOCKETS] ?? DEFAULT_MAX_WEB_SOCKETS)
  return most < 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(most / units))
}

function withheld(vertx: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  return new Set([
    ...(vertx[PER_MESSAGE] === false ? ['permessage-deflate', 'permessage-bzip2'] : []),
    ...(vertx[PER_FRAME] === false ? ['deflate-frame', 'x-webkit-deflate-frame'] : []),
  ])
}
