import { connect, type Socket } from 'node:net'
import type { ForwardProxy } from '#contracts'
import { MAX_TIMER_DELAY, type OwnListeners } from '#schema'
import { leaveDescriptors } from './leave-descriptors.ts'
import { openToProxy } from './secure-proxy.ts'
import { flagSelfConnection, isSelfConnection } from './self-connection.ts'
import { isLookedUp, sharedLookup } from './shared-lookup.ts'
import type { OutboundContexts } from './tls/outbound-context.ts'
import { SecureConnections, type SecureEvents } from './tls/secure-connection.ts'
import { openTunnel, ProxyConnectionError } from './tunnel.ts'
import { UpstreamError } from './upstream-error.ts'

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

/** A server to connect to. */
interface SocketTarget {
  readonly isSecure: boolean
  /** IPv6 addresses without brackets. */
  readonly hostname: string
  readonly port: number
  readonly localAddress: string | null
}

/** Gets an open connection, after TLS and tunnels, or an error. */
type SocketCallback = (...result: [error: Error, socket: null] | [error: null, socket: Socket]) => void

/** A connection that is being established. */
export interface PendingSocket {
  /** Closes the socket; the callback gets an error. */
  cancel(): void
  /** Why a call fails whose wait ends before the connection is established. */
  late(): Error
}

/** Opens a connection to one server. */
export type OpenSocket = (callback: SocketCallback) => PendingSocket

const KEEP_ALIVE_PROBES = 60_000

/** Opens connections with an exact time-out; the callback is never called before this returns. */
export function createOpener(
  settings: ConnectOptions,
): (target: SocketTarget, callback: SocketCallback) => PendingSocket {
  const { timeout, contexts, proxy, alpn, tunnels = 'secure', ownListeners = null } = settings
  const secure = new SecureConnections(contexts, alpn ?? ['http/1.1'])
  return (target, callback) => {
    const attempt = new Attempt(timeout, (proxy ?? target).hostname, ownListeners, callback)
    if (target.isSecure) openSecure(secure, proxy, target, attempt)
    else if (proxy !== null && tunnels === 'all') tunnel(proxy, target, attempt, (socket) => attempt.opened(socket))
    else if (proxy === null) openPlain(target, target.localAddress, attempt)
    else if (proxy.secure === undefined) openPlain(proxy, target.localAddress, throughProxy(proxy, attempt))
    else openToProxy(proxy, target.localAddress, throughProxy(proxy, attempt))
    return attempt
  }
}

function openPlain(
  { hostname, port }: { readonly hostname: string; readonly port: number },
  localAddress: string | null,
  attempt: SocketEvents,
): void {
  const socket = connect({
    host: hostname,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBES,
    lookup: sharedLookup,
    ...(localAddress === null ? {} : { localAddress }),
  })
  // Kept after the attempt: an error without a listener would end the process.
  socket.on('error', (error) => attempt.failed(error))
  socket.once('connect', () => attempt.opened(socket))
  attempt.started(socket)
}

function openSecure(
  secure: SecureConnections,
  proxy: ForwardProxy | null,
  target: SocketTarget,
  attempt: Attempt,
): void {
  const handshake = (through: Socket | null) => {
    secure.open({ ...target, through }, attempt).catch((error: Error) => attempt.failed(error))
  }
  if (proxy === null) handshake(null)
  else tunnel(proxy, target, attempt, handshake)
}

function tunnel(proxy: ForwardProxy, target: SocketTarget, attempt: Attempt, opened: (socket: Socket) => void): void {
  openTunnel(proxy, {
    ...target,
    started: (socket) => attempt.started(socket),
    opened,
    failed: (error) => attempt.failed(error),
  })
}

/** The events of a connection to a proxy: failures name it. */
function throughProxy(proxy: ForwardProxy, attempt: Attempt): SocketEvents {
  return {
    isOver: () => attempt.isOver(),
    started: (socket) => attempt.started(socket),
    opened: (socket) => attempt.opened(socket),
    failed: (error) => attempt.failed(new ProxyConnectionError(proxy, error)),
  }
}

/** Callbacks of an attempt, with and without TLS. */
interface SocketEvents extends SecureEvents {
  started(socket: Socket): void
  opened(socket: Socket): void
}

/** One attempt to connect; settles once. */
class Attempt implements SocketEvents, PendingSocket {
  readonly #callback: SocketCallback
  /** Host name or address of the server, or of its proxy. */
  readonly #name: string
  readonly #timer: NodeJS.Timeout | undefined
  readonly #ownListeners: OwnListeners | null
  #socket: Socket | null = null
  #over = false

  constructor(timeout: number, name: string, ownListeners: OwnListeners | null, callback: SocketCallback) {
    this.#callback = callback
    this.#name = name
    this.#ownListeners = ownListeners
    if (timeout <= MAX_TIMER_DELAY) this.#timer = setTimeout(() => this.#expire(), timeout)
  }

  isOver(): boolean {
    return this.#over
  }

  started(socket: Socket): void {
    this.#socket = socket
    if (this.#over) {
      socket.destroy()
      return
    }
    leaveDescriptors(socket)
    // Before the callback, and before TLS, which may fail for another reason.
    if (this.#ownListeners !== null) flagSelfConnection(socket, this.#ownListeners)
  }

  opened(socket: Socket): void {
    this.#settle(null, socket)
  }

  failed(error: Error): void {
    const isLoop = this.#socket !== null && isSelfConnection(this.#socket)
    this.#settle(isLoop ? new UpstreamError('GW_UPSTREAM_LOOP', error) : error, null)
  }

  cancel(): void {
    if (this.#over) return
    this.failed(new Error('connection attempt cancelled'))
    this.#socket?.destroy()
  }

  late(): Error {
    return new Error(
      isLookedUp(this.#name)
        ? `name lookup: expected an answer for "${this.#name}" in time; check the name servers`
        : 'connection: expected it to be established in time',
    )
  }

  #settle(...result: Parameters<SocketCallback>): void {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#timer)
    this.#callback(...result)
  }

  #expire(): void {
    const error = this.late()
    if (this.#socket === null) this.failed(error)
    else this.#socket.destroy(error)
  }
}
