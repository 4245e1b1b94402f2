import type { Socket } from 'node:net'
import type { ClientOptions, WebSocket } from 'ws'
import type { ClientTls, ProxyOptions } from '#contracts'
import { withoutBrackets } from '#http'
import { MAX_TIMER_DELAY } from '#schema'
import { createOpener } from '../open-socket.ts'
import { DEFAULT_TLS, OutboundContexts } from '../tls/outbound-context.ts'
import { UpstreamError, upstreamErrorOf } from '../upstream-error.ts'
import { type MessageEvents, type MessageSocket, OpenMessageSocket } from './open-message-socket.ts'

/** Settings of WebSocket connections of the gateway itself. */
export interface MessageConnectorSettings {
  /** Milliseconds from the first packet to the server's 101. */
  readonly connectionTimeout: number
  /** A longer message closes the connection (1009). */
  readonly maxMessageBytes: number
  readonly tls: ClientTls | null
  readonly proxy: ProxyOptions | null
}

/** URL and handshake of a WebSocket connection. */
export interface MessageRequest {
  /** With the scheme http, https, ws or wss. */
  readonly url: string
  readonly protocol: string
  readonly headers: Readonly<Record<string, string>>
}

/** The server answered the handshake with a status other than 101. */
export class UpgradeRefusedError extends Error {
  override readonly name = 'UpgradeRefusedError'
  readonly code = 'GW_UPGRADE_REFUSED'
  readonly status: number

  constructor(status: number) {
    super(`websocket: expected the status 101, got ${status}`)
    this.status = status
  }
}

const CLOSE_LIMIT = 2_000
const MAX_HEADER_BYTES = 65_536

/** Opens WebSocket connections of the gateway itself, as a client. */
export class MessageConnector {
  readonly #settings: MessageConnectorSettings
  readonly #contexts: OutboundContexts

  constructor(settings: MessageConnectorSettings) {
    this.#settings = settings
    this.#contexts = new OutboundContexts(settings.tls ?? DEFAULT_TLS, () => {})
  }

  /**
   * Resolves when the server has answered 101; no redirect is followed (threats B65). Rejects with an UpstreamError or
   * an UpgradeRefusedError, also when the signal is aborted.
   */
  async open(request: MessageRequest, events: MessageEvents, signal: AbortSignal): Promise<MessageSocket> {
    // Loaded by the first of these connections.
    const { WebSocket: Opening } = await import('ws')
    const { promise, resolve, reject } = Promise.withResolvers<MessageSocket>()
    let stop = () => {}
    const give = (reason: Error) => {
      reject(reason)
      stop()
    }
    const onAbort = () => give(new UpstreamError('GW_CLIENT_GONE'))
    const { connectionTimeout } = this.#settings
    const late = () => give(new UpstreamError('GW_UPSTREAM_TIMEOUT'))
    const timer = connectionTimeout <= MAX_TIMER_DELAY ? setTimeout(late, connectionTimeout) : undefined
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    else {
      stop = this.#connect(new URL(request.url), give, (socket) => {
        const webSocket = this.#handshake(Opening, socket, request)
        if (webSocket instanceof UpstreamError) {
          give(webSocket)
          return
        }
        stop = () => webSocket.terminate()
        webSocket.on('unexpected-response', (_request, { statusCode = 0 }) => {
          // A 101 without Upgrade header is invalid.
          give(statusCode < 200 ? new UpstreamError('GW_UPSTREAM_PROTOCOL') : new UpgradeRefusedError(statusCode))
        })
        webSocket.on('error', (error) => give(upstreamErrorOf(error, true)))
        webSocket.once('open', () => {
          stop = () => {}
          webSocket.removeAllListeners()
          resolve(new OpenMessageSocket(webSocket, events))
        })
      })
    }
    return promise.finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    })
  }

  /** Stops watching for changed keys; open connections stay open. */
  release(): void {
    this.#contexts.stop()
  }

  #connect({ protocol, hostname, port }: URL, failed: (error: Error) => void, opened: (socket: Socket) => void) {
    const isSecure = protocol === 'https:' || protocol === 'wss:'
    const target = {
      isSecure,
      localAddress: null,
      hostname: withoutBrackets(hostname),
      port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    }
    const { connectionTimeout, proxy } = this.#settings
    const opening = createOpener({
      timeout: connectionTimeout,
      contexts: this.#contexts,
      proxy: proxy?.proxyFor(isSecure ? 'https' : 'http', target.hostname, target.port) ?? null,
      tunnels: 'all',
    })(target, (error, socket) => {
      if (error === null) opened(socket)
      else failed(upstreamErrorOf(error, false))
    })
    return () => opening.cancel()
  }

  #handshake(
    Opening: typeof WebSocket,
    socket: Socket,
    { url, protocol, headers }: MessageRequest,
  ): WebSocket | UpstreamError {
    const options: ClientOptions & { closeTimeout: number; maxHeaderSize: number } = {
      createConnection: () => socket,
      headers,
      maxHeaderSize: MAX_HEADER_BYTES,
      maxPayload: this.#settings.maxMessageBytes,
      // Small messages gain nothing from compression; without it, decompression bombs are impossible (threats B68).
      perMessageDeflate: false,
      followRedirects: false,
      closeTimeout: CLOSE_LIMIT,
    }
    try {
      return new Opening(url, [protocol], options)
    } catch (error) {
      socket.destroy()
      return new UpstreamError('GW_UPSTREAM_REQUEST', error)
    }
  }
}
