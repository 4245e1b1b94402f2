import type { Socket } from 'node:net'
import type { ClientTls, ProxyOptions } from '#contracts'
import {
  type Exchange,
  type Request,
  type Response,
  reasonPhrase,
  respond,
  type TraceFields,
  withoutBrackets,
} from '#http'
import type { OwnListeners } from '#schema'
import { isSelfConnection } from '../self-connection.ts'
import { DEFAULT_TLS, OutboundContexts } from '../tls/outbound-context.ts'
import { UpstreamError } from '../upstream-error.ts'
import { Watchdog } from '../watchdog.ts'
import { acquireConnection } from './connection-limit.ts'
import { InvalidOffer, type Offer, type OfferLimits, readOffer, VERSION } from './handshake.ts'
import type { RelayTimeouts } from './relay.ts'
import { sendUpgradeRequest } from './upgrade-call.ts'
import { openUpgradeSocket, type UpgradeTarget } from './upgrade-connection.ts'

/** Settings of relayed WebSocket connections; times in milliseconds. */
interface WebSocketSettings extends OfferLimits, RelayTimeouts {
  readonly connectionTimeout: number
  /** Open connections to one server in this unit. */
  readonly maxConnections: number
  /** Longest wait for the response to the handshake. */
  readonly soTimeout: number
  readonly tls: ClientTls | null
  readonly proxy: ProxyOptions | null
  /** The connectors of this gateway, for loop detection. */
  readonly ownListeners?: OwnListeners | null
}

const TOO_MANY_CONNECTIONS =
  'websocket: expected fewer open connections to the server; raise maxWebSockets of its vertx'

/** Relays WebSocket connections to the servers that request URIs name. */
export class WebSocketClient {
  readonly #settings: WebSocketSettings
  readonly #contexts: OutboundContexts
  readonly #watchdog: Watchdog

  constructor(settings: WebSocketSettings) {
    this.#settings = settings
    this.#contexts = new OutboundContexts(settings.tls ?? DEFAULT_TLS, () => {})
    this.#watchdog = new Watchdog(settings.idleTime ?? settings.heartbeatTime)
  }

  /** Whether a request is a WebSocket handshake. */
  static isAskedFor({ method, headers, body }: Request): boolean {
    return method === 'GET' && headers.get('upgrade')?.toLowerCase() === 'websocket' && body.isEmpty
  }

  /** Resolves with the server's 101, or another response. Rejects with an UpstreamError only. */
  async upgrade(exchange: Exchange, request: Request): Promise<Response> {
    if (exchange.aborted) throw new UpstreamError('GW_CLIENT_GONE')
    const offer = readOffer(request.headers, this.#settings)
    if (offer instanceof InvalidOffer) return refusal(offer)
    const startedAt = performance.now()
    const span = exchange.span?.beginClient(request, 0) ?? null
    try {
      const response = await this.#handshake(exchange, request, offer, span ?? exchange.span)
      span?.end(response.status, response.version, null)
      return response
    } catch (error) {
      span?.end(null, null, error instanceof UpstreamError ? error.code : 'aborted')
      throw error
    } finally {
      exchange.upstreamTime?.add(startedAt)
    }
  }

  async #handshake(exchange: Exchange, request: Request, offer: Offer, trace: TraceFields | null): Promise<Response> {
    const socket = await this.#connect(exchange, targetOf(request))
    if (exchange.aborted) {
      socket.destroy()
      throw new UpstreamError('GW_CLIENT_GONE')
    }
    return sendUpgradeRequest(exchange, request, socket, {
      offer,
      trace,
      soTimeout: this.#settings.soTimeout,
      timeouts: this.#settings,
      watchdog: this.#watchdog,
    })
  }

  async #connect(exchange: Exchange, target: UpgradeTarget): Promise<Socket> {
    const { connectionTimeout, proxy, maxConnections } = this.#settings
    const release = acquireConnection(target, maxConnections)
    // Not queued, since WebSocket connections are long-lived.
    if (release === null) throw new UpstreamError('GW_UPSTREAM_POOL_FULL', new Error(TOO_MANY_CONNECTIONS))
    try {
      const socket = await openUpgradeSocket(exchange, target, {
        timeout: connectionTimeout,
        contexts: this.#contexts,
        proxy: proxy?.proxyFor(target.isSecure ? 'https' : 'http', target.hostname, target.port) ?? null,
        ownListeners: this.#settings.ownListeners ?? null,
      })
      if (isSelfConnection(socket)) {
        socket.destroy()
        throw new UpstreamError('GW_UPSTREAM_LOOP')
      }
      if (socket.closed) release()
      else socket.once('close', release)
      return socket
    } catch (error) {
      release()
      throw error
    }
  }

  /** Stops watching for changed keys; open connections stay open. */
  release(): void {
    this.#contexts.stop()
  }
}

function refusal({ status, problem }: InvalidOffer): Response {
  const response = respond(status, { 'Sec-WebSocket-Version': VERSION }, reasonPhrase(status))
  response.cause = new Error(`websocket: ${problem}`)
  return response
}

const SCHEMES: Readonly<Record<string, 'clear' | 'secure'>> = {
  http: 'clear',
  ws: 'clear',
  https: 'secure',
  wss: 'secure',
}

function targetOf({ uri }: Request): UpgradeTarget {
  const scheme = SCHEMES[uri.scheme]
  if (scheme === undefined || !URL.canParse(uri.origin)) {
    throw new UpstreamError('GW_UPSTREAM_REQUEST', new Error('uri: expected http, https, ws or wss and a host'))
  }
  return {
    isSecure: scheme === 'secure',
    hostname: withoutBrackets(uri.host),
    port: uri.effectivePort,
  }
}
