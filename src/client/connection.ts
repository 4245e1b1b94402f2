import type { Socket } from 'node:net'
import { buildConnector, Client, type Dispatcher, errors } from 'undici'
import type { ForwardProxy } from '#contracts'
import { MAX_TIMER_DELAY, type OwnListeners } from '#schema'
import { type FirstByteObserver, ResponseHeadGuard } from './response-head-guard.ts'
import { openToProxy } from './secure-proxy.ts'
import { flagSelfConnection, isSelfConnection } from './self-connection.ts'
import type { OutboundContexts } from './tls/outbound-context.ts'
import { SecureConnections, type SecureEvents } from './tls/secure-connection.ts'
import { openTunnel } from './tunnel.ts'
import { type Carrier, UpstreamCall } from './upstream-call.ts'
import { UpstreamError } from './upstream-error.ts'
import { ASTERISK_PATH, trailerEdit, type WriteEdit, WriteEditor } from './write-editor.ts'

/** Default limit of a response head. */
export const MAX_HEADER_BYTES = 65_536

/** A slot of the pool: one connection at a time, reopened after it closes. */
export class Connection extends Client implements Carrier {
  readonly version = 'HTTP/1.1'
  readonly #heads: ResponseHeadGuard
  readonly #written: WriteEditor
  #carried = 0
  #isSelfConnection = false

  constructor(origin: URL, options: Client.Options, connect: buildConnector.connector) {
    const heads = new ResponseHeadGuard(options.maxHeaderSize ?? MAX_HEADER_BYTES)
    const written = new WriteEditor()
    super(origin, {
      ...options,
      connect: (target: buildConnector.Options, callback: buildConnector.Callback) =>
        connect(target, (...result) => {
          if (result[0] === null) {
            heads.attach(result[1])
            written.attach(result[1])
            this.#isSelfConnection = isSelfConnection(result[1])
          }
          callback(...result)
        }),
    })
    this.#heads = heads
    this.#written = written
    this.on('connect', () => {
      this.#carried = 0
    })
  }

  get isSelfConnection(): boolean {
    return this.#isSelfConnection
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof UpstreamCall) handler.carrier = this
    return super.dispatch(options.path === '*' ? { ...options, path: ASTERISK_PATH } : options, handler)
  }

  carry(head: WriteEdit | null, observer: FirstByteObserver): boolean {
    this.#heads.expectHead(observer)
    if (head !== null) this.#written.editNext(head)
    return this.#carried++ > 0
  }

  finish(trailers: readonly string[], end: () => void): void {
    this.#written.editNext(trailerEdit(trailers))
    end()
    this.#written.leave()
  }
}

/** Options for establishing connections. */
export interface ConnectOptions {
  /** Longest time to establish a connection, in milliseconds. */
  readonly timeout: number
  readonly contexts: OutboundContexts
  /** The forward proxy; null for direct connections. */
  readonly proxy: ForwardProxy | null
  /** ALPN protocols; HTTP/1.1 by default. */
  readonly alpn?: readonly string[]
  /** Which connections are tunnelled through the proxy: those with TLS, or all, for protocols other than HTTP. */
  readonly tunnels?: 'secure' | 'all'
  /** The connectors of this gateway. */
  readonly ownListeners?: OwnListeners | null
}

/** A connection that is being established. */
interface PendingConnection {
  /** Closes the socket; the callback gets an error. */
  cancel(): void
}

/**
 * Opens connections with an exact time-out (undici's is coarse and may be early). The TLS server name is that of the
 * origin, not the Host header of the first request.
 */
export function createOpener(
  settings: ConnectOptions,
): (options: buildConnector.Options, callback: buildConnector.Callback) => PendingConnection {
  const { timeout, contexts, proxy, alpn, tunnels = 'secure', ownListeners = null } = settings
  const inClear = buildConnector({ allowH2: false, timeout: 0 })
  const secure = new SecureConnections(contexts, alpn ?? ['http/1.1'])
  return (options, callback) => {
    const attempt = new Attempt(timeout, ownListeners, callback)
    const { servername: _ofRequest, ...target } = options
    const { protocol, hostname, port, localAddress = null } = target
    if (protocol === 'https:') {
      openSecure(secure, proxy, { hostname, port: port === '' ? 443 : Number(port), localAddress }, attempt)
    } else if (proxy !== null && tunnels === 'all') {
      tunnel(proxy, { hostname, port: port === '' ? 80 : Number(port), localAddress }, attempt, (socket) =>
        attempt.opened(socket),
      )
    } else if (proxy?.secure !== undefined) {
      openToProxy(proxy, localAddress, attempt)
    } else {
      const next = proxy === null ? target : { ...target, hostname: proxy.hostname, port: String(proxy.port) }
      // undici's connector returns the socket it opens, unlike its type.
      attempt.started(inClear(next, (...result) => attempt.settle(...result)) as unknown as Socket)
    }
    return attempt
  }
}

/** The opener as a connector of undici. */
export function connector(settings: ConnectOptions): buildConnector.connector {
  const open = createOpener(settings)
  return (options, callback) => {
    open(options, callback)
  }
}

type Target = { readonly hostname: string; readonly port: number; readonly localAddress: string | null }

function openSecure(secure: SecureConnections, proxy: ForwardProxy | null, target: Target, attempt: Attempt): void {
  const handshake = (through: Socket | null) => {
    secure.open({ ...target, through }, attempt).catch((error: Error) => attempt.failed(error))
  }
  if (proxy === null) handshake(null)
  else tunnel(proxy, target, attempt, handshake)
}

function tunnel(proxy: ForwardProxy, target: Target, attempt: Attempt, opened: (socket: Socket) => void): void {
  openTunnel(proxy, {
    ...target,
    started: (socket) => attempt.started(socket),
    opened,
    failed: (error) => attempt.failed(error),
  })
}

/** One attempt to connect; settles once. */
class Attempt implements SecureEvents, PendingConnection {
  readonly #callback: buildConnector.Callback
  readonly #timer: NodeJS.Timeout | undefined
  readonly #ownListeners: OwnListeners | null
  #socket: Socket | null = null
  #over = false

  constructor(timeout: number, ownListeners: OwnListeners | null, callback: buildConnector.Callback) {
    this.#callback = callback
    this.#ownListeners = ownListeners
    if (timeout <= MAX_TIMER_DELAY) this.#timer = setTimeout(() => this.#expire(), timeout)
  }

  isOver(): boolean {
    return this.#over
  }

  started(socket: Socket): void {
    this.#socket = socket
    if (this.#over) socket.destroy()
    // Before the callback, and before TLS, which may fail for another reason.
    else if (this.#ownListeners !== null) flagSelfConnection(socket, this.#ownListeners)
  }

  opened(socket: Socket): void {
    this.settle(null, socket)
  }

  failed(error: Error): void {
    const isLoop = this.#socket !== null && isSelfConnection(this.#socket)
    this.settle(isLoop ? new UpstreamError('GW_UPSTREAM_LOOP', error) : error, null)
  }

  cancel(): void {
    if (this.#over) return
    this.failed(new Error('connection attempt cancelled'))
    this.#socket?.destroy()
  }

  settle(...result: Parameters<buildConnector.Callback>): void {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#timer)
    this.#callback(...result)
  }

  #expire(): void {
    const error = new errors.ConnectTimeoutError()
    if (this.#socket === null) this.failed(error)
    else this.#socket.destroy(error)
  }
}
