import type { Socket } from 'node:net'
import { buildConnector, Client, type Dispatcher, errors } from 'undici'
import type { ForwardProxy } from '#contracts'
import type { OwnListeners } from '#schema'
import { type FirstByteObserver, ResponseHeadGuard } from './response-head-guard.ts'
import { openToProxy } from './secure-proxy.ts'
import { leadsToSelf, markOwnConnection } from './self-connection.ts'
import type { OutboundContexts } from './tls/outbound-context.ts'
import { SecureConnections, type SecureEvents } from './tls/secure-connection.ts'
import { openTunnel } from './tunnel.ts'
import { type Carrier, UpstreamCall } from './upstream-call.ts'
import { UpstreamError } from './upstream-error.ts'
import { ASTERISK_PATH, type TextEdit, trailerEdit, WrittenText } from './written-text.ts'

/** Longest head of a response where the settings say nothing. */
export const MAX_HEADER_BYTES = 65_536
const LONGEST_TIMER = 2 ** 31 - 1

/** One place in a pool: a connection, and the next one when that is closed. */
export class Connection extends Client implements Carrier {
  readonly version = 'HTTP/1.1'
  readonly #heads: ResponseHeadGuard
  readonly #written: WrittenText
  #carried = 0
  #leadsToSelf = false

  constructor(origin: URL, options: Client.Options, connect: buildConnector.connector) {
    const heads = new ResponseHeadGuard(options.maxHeaderSize ?? MAX_HEADER_BYTES)
    const written = new WrittenText()
    super(origin, {
      ...options,
      connect: (target: buildConnector.Options, callback: buildConnector.Callback) =>
        connect(target, (...result) => {
          if (result[0] === null) {
            heads.attach(result[1])
            written.attach(result[1])
            this.#leadsToSelf = leadsToSelf(result[1])
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

  get leadsToSelf(): boolean {
    return this.#leadsToSelf
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof UpstreamCall) handler.carrier = this
    return super.dispatch(options.path === '*' ? { ...options, path: ASTERISK_PATH } : options, handler)
  }

  carry(head: TextEdit | null, observer: FirstByteObserver): boolean {
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

/** How the connections of a pool come about. */
export interface Ways {
  /** Longest time for a connection to be established. */
  readonly timeout: number
  readonly contexts: OutboundContexts
  /** The proxy on the way; null where the way is direct. */
  readonly proxy: ForwardProxy | null
  /** The protocols to choose from in TLS; HTTP/1.1 where there is no list. */
  readonly offers?: readonly string[]
  /** For which servers a proxy is asked for a tunnel: those that speak TLS, or all, where what follows is not HTTP. */
  readonly tunnels?: 'secure' | 'all'
  /** The connectors of this gateway. */
  readonly ownListeners?: OwnListeners | null
}

/** A connection that is being opened. */
export interface Opening {
  /** Gives up: whatever there is of the connection is closed, and its caller told nothing but that. */
  cancel(): void
}

/**
 * Opens connections with a time-out that holds to the millisecond (undici's own is coarse and can be early). TLS is
 * ours: for the name of the origin, whatever Host field the first request carries.
 */
export function opener(ways: Ways): (options: buildConnector.Options, callback: buildConnector.Callback) => Opening {
  const { timeout, contexts, proxy, offers, tunnels = 'secure', ownListeners = null } = ways
  const inClear = buildConnector({ allowH2: false, timeout: 0 })
  const secure = new SecureConnections(contexts, offers ?? ['http/1.1'])
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
      // undici's connector returns the socket it opens; its type does not say so.
      attempt.started(inClear(next, (...result) => attempt.settle(...result)) as unknown as Socket)
    }
    return attempt
  }
}

/** An opener for undici. */
export function connector(ways: Ways): buildConnector.connector {
  const open = opener(ways)
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

/** One attempt to connect: it ends once, whatever happens first. */
class Attempt implements SecureEvents, Opening {
  readonly #callback: buildConnector.Callback
  readonly #timer: NodeJS.Timeout | undefined
  readonly #ownListeners: OwnListeners | null
  #socket: Socket | null = null
  #over = false

  constructor(timeout: number, ownListeners: OwnListeners | null, callback: buildConnector.Callback) {
    this.#callback = callback
    this.#ownListeners = ownListeners
    if (timeout <= LONGEST_TIMER) this.#timer = setTimeout(() => this.#expire(), timeout)
  }

  isOver(): boolean {
    return this.#over
  }

  started(socket: Socket): void {
    this.#socket = socket
    if (this.#over) socket.destroy()
    // Before those who are told of the connection; and before TLS, which may fail for another reason.
    else if (this.#ownListeners !== null) markOwnConnection(socket, this.#ownListeners)
  }

  opened(socket: Socket): void {
    this.settle(null, socket)
  }

  failed(error: Error): void {
    const isLoop = this.#socket !== null && leadsToSelf(this.#socket)
    this.settle(isLoop ? new UpstreamError('GW_UPSTREAM_LOOP', error) : error, null)
  }

  cancel(): void {
    if (this.#over) return
    this.failed(new Error('the connection is not wanted any more'))
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
