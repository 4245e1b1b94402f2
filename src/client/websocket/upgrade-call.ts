import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import {
  Body,
  type Exchange,
  type Headers,
  type Request,
  Response,
  reasonPhrase,
  type TraceFields,
  type Upgrade,
} from '#http'
import { MAX_TIMER_DELAY } from '#schema'
import { inboundHeaders, isHttp1, isReasonPhrase } from '../message-head.ts'
import { rejectDotSegments } from '../outbound-request.ts'
import { UpstreamError, upstreamErrorOf } from '../upstream-error.ts'
import type { Watchdog } from '../watchdog.ts'
import { acceptanceProblem, type Offer, offerHeaders } from './handshake.ts'
import { Relay, type RelayTimeouts } from './relay.ts'

const MAX_HEADER_BYTES = 65_536

/** Inputs of a handshake beside the request. */
interface UpgradeContext {
  readonly offer: Offer
  /** Trace context for the server; null where the gateway does not trace. */
  readonly trace: TraceFields | null
  /** Longest wait for the response. */
  readonly soTimeout: number
  readonly timeouts: RelayTimeouts
  readonly watchdog: Watchdog
}

/** Sends a WebSocket handshake over its own connection; resolves with the response, 101 or another. */
export function sendUpgradeRequest(
  exchange: Exchange,
  request: Request,
  socket: Socket,
  context: UpgradeContext,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const fail = (error: unknown) => {
    reject(upstreamErrorOf(error instanceof Error ? error : new Error(String(error)), true))
    socket.destroy()
  }
  const timer = setTimeout(
    () => fail(new UpstreamError('GW_UPSTREAM_TIMEOUT')),
    Math.min(context.soTimeout, MAX_TIMER_DELAY),
  )
  const stopListening = exchange.onAbort((reason) => fail(new UpstreamError('GW_CLIENT_GONE', reason)))
  const upgradeRequest = requestOver(socket, request, context, fail)
  upgradeRequest?.on('information', ({ statusCode }) => {
    // A 101 without Upgrade header is invalid.
    if (statusCode === 101) fail(new UpstreamError('GW_UPSTREAM_PROTOCOL'))
  })
  upgradeRequest?.once('response', (message) => {
    const { statusCode = 0 } = message
    if (statusCode < 200 || statusCode > 999 || !isHttp1(message)) fail(new UpstreamError('GW_UPSTREAM_PROTOCOL'))
    else resolve(plainResponse(exchange, message, socket, context.soTimeout))
  })
  upgradeRequest?.once('upgrade', (message, _socket, early) => {
    const headers = headersOf(message)
    const problem =
      message.httpVersion === '1.1'
        ? acceptanceProblem(headers, message.headers.upgrade, context.offer)
        : 'expected a 101 of HTTP/1.1'
    if (problem !== null) fail(new UpstreamError('GW_UPSTREAM_PROTOCOL', new Error(`upgrade: ${problem}`)))
    else
      resolve(
        new Response(101, {
          reason: reasonOf(message),
          headers,
          upgrade: relayUpgrade(exchange, socket, early, context),
          isReceived: true,
        }),
      )
  })
  return promise.finally(() => {
    clearTimeout(timer)
    stopListening()
  })
}

function requestOver(
  socket: Socket,
  { uri, headers }: Request,
  { offer, trace }: UpgradeContext,
  fail: (error: unknown) => void,
): ClientRequest | null {
  try {
    rejectDotSegments(uri.rawPath)
    const upgradeRequest = httpRequest({
      createConnection: () => socket,
      method: 'GET',
      path: uri.requestTarget,
      headers: offerHeaders(headers, offer, trace),
      maxHeaderSize: MAX_HEADER_BYTES,
    })
    upgradeRequest.on('error', fail)
    upgradeRequest.end()
    return upgradeRequest
  } catch (error) {
    fail(new UpstreamError('GW_UPSTREAM_REQUEST', error))
    return null
  }
}

/** Waits for the listener to take over the connection; closed with the exchange otherwise. */
function relayUpgrade(exchange: Exchange, socket: Socket, early: Buffer, context: UpgradeContext): Upgrade {
  let started = false
  const ignore = () => {}
  socket.on('error', ignore)
  // Each direction is half-closed on its own.
  socket.allowHalfOpen = true
  exchange.onComplete(() => {
    if (!started) socket.destroy()
  })
  return {
    start: (client, head) => {
      started = true
      const server = { socket, early }
      const relay = new Relay({ socket: client, early: head }, server, context.timeouts, context.watchdog)
      if (socket.destroyed || client.destroyed) relay.destroy()
      return relay
    },
  }
}

/** Relays a response other than 101; the connection closes after it. */
function plainResponse(exchange: Exchange, message: IncomingMessage, socket: Socket, soTimeout: number): Response {
  const status = message.statusCode ?? 0
  if (soTimeout <= MAX_TIMER_DELAY) socket.setTimeout(soTimeout)
  socket.on('timeout', () => {
    // While the client exerts back-pressure, the server is not awaited.
    if (!message.isPaused()) socket.destroy()
  })
  exchange.onComplete(() => socket.destroy())
  exchange.onAbort(() => socket.destroy())
  const headers = headersOf(message)
  const length = headers.get('content-length')
  return new Response(status, {
    reason: reasonOf(message),
    headers,
    body:
      status === 204 || status === 304 || length === '0'
        ? Body.empty
        : Body.fromStream(message, length === null ? null : Number(length)),
    isReceived: true,
  })
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  return inboundHeaders(rawHeaders)
}

function reasonOf({ statusCode = 0, statusMessage = '' }: IncomingMessage): string {
  return isReasonPhrase(statusMessage) ? statusMessage : reasonPhrase(statusCode)
}
