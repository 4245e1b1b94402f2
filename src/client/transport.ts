import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { type buildConnector, type Dispatcher, Pool } from 'undici'
import { withoutBrackets } from '#http'
import { MAX_TIMER_DELAY } from '#schema'
import { Connection, type ConnectOptions, connector, MAX_HEADER_BYTES } from './connection.ts'
import { type Session, Sessions } from './http2/sessions.ts'
import { supportsH2cUpgrade } from './http2/upgrade-probe.ts'
import type { ClientSettings } from './settings.ts'
import type { CallQueue, UpstreamCall } from './upstream-call.ts'

/** How HTTP/2 is chosen for an origin. */
export type Http2Mode = 'off' | 'alpn' | 'prior-knowledge' | 'h2c-upgrade'

/** Shorter than the usual keep-alive time of servers that send no Keep-Alive header. */
const IDLE_TIME = 4_000
const SESSION_IDLE_TIME = 60_000
/** TTL of the HTTP version of an origin. */
const VERSION_TTL = 600_000

/** The connections to one origin, HTTP/1.1 and HTTP/2. */
export class Transport implements CallQueue {
  readonly #url: URL
  readonly #settings: ClientSettings
  readonly #mode: Http2Mode
  readonly #http1: Pool
  readonly #sessions: Sessions
  readonly #connect: buildConnector.connector
  readonly #capacityChanged: () => void
  #version: 'unknown' | 'http1' | 'http2' = 'unknown'
  #knownUntil = 0
  #opening = false
  /** Calls that wait for an HTTP/2 connection, in order of arrival. */
  readonly #waiting = new Map<UpstreamCall, Dispatcher.DispatchOptions>()
  #spare: Socket | null = null

  constructor(
    url: URL,
    settings: ClientSettings,
    connect: ConnectOptions,
    mode: Http2Mode,
    capacityChanged: () => void,
  ) {
    this.#url = url
    this.#settings = settings
    this.#mode = mode
    this.#capacityChanged = capacityChanged
    this.#connect = connector({ ...connect, alpn: ['h2', 'http/1.1'] })
    this.#http1 = this.#http1Pool(connector(connect))
    const { connections, connectionTimeToLive, http2, maxHeaderBytes = MAX_HEADER_BYTES } = settings
    const limits = {
      maxSessions: Math.min(connections, http2?.maxSessions ?? Number.POSITIVE_INFINITY),
      maxStreams: http2?.maxStreams ?? Number.POSITIVE_INFINITY,
      maxHeaderBytes,
      timeToLive: connectionTimeToLive,
      idleTime: http2?.idleTime ?? SESSION_IDLE_TIME,
    }
    this.#sessions = new Sessions(url, limits, {
      dispatch: (options, call) => void this.dispatch(options, call),
      capacityChanged: () => this.#dispatchWaiting(),
      refusedHttp2: () => this.#cacheVersion('http1'),
    })
  }

  /** Requests that can run at the same time. */
  get capacity(): number {
    return this.#version === 'http2' ? this.#sessions.capacity : this.#settings.connections
  }

  get connected(): number {
    return this.#http1.stats.connected + this.#sessions.connected
  }

  get pending(): number {
    return this.#http1.stats.pending + this.#waiting.size
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const carrier = this.#carrier()
    if (carrier !== null) return carrier.dispatch(options, handler)
    const call = handler as UpstreamCall
    this.#waiting.set(call, options)
    call.queue = this
    this.#openOrWait()
    return true
  }

  withdraw(call: UpstreamCall): boolean {
    return this.#waiting.delete(call)
  }

  async close(): Promise<void> {
    await Promise.all([this.#http1.close(), this.#sessions.close()])
  }

  /** The dispatcher for one more call; null where a connection must be opened first. */
  #carrier(): Pool | Session | null {
    const isHttp1 = this.#version === 'http1' && performance.now() < this.#knownUntil
    return this.#mode === 'off' || isHttp1 ? this.#http1 : this.#sessions.withRoom()
  }

  /** Opens one connection at a time: further calls wait for it, and share it if it has room. */
  #openOrWait(): void {
    if (this.#opening) return
    if (!this.#sessions.mayGrow) {
      // The server may have lowered SETTINGS_MAX_CONCURRENT_STREAMS, even to 0: bound the wait.
      for (const call of this.#waiting.keys()) call.wait()
      return
    }
    this.#opening = true
    this.#open().catch((error: Error) => this.#failed(error))
  }

  async #open(): Promise<void> {
    const { hostname, protocol, port } = this.#url
    const server = { hostname: withoutBrackets(hostname), port: Number(port) || 80 }
    const { connectionTimeout: timeout, ownListeners = null } = this.#settings
    const needsProbe =
      this.#mode === 'h2c-upgrade' && (this.#version !== 'http2' || performance.now() >= this.#knownUntil)
    if (needsProbe && !(await supportsH2cUpgrade({ ...server, timeout, ownListeners }))) {
      this.#useHttp1(null)
      return
    }
    const localAddress = this.#settings.localAddress ?? null
    this.#connect({ hostname: server.hostname, protocol, port, localAddress }, (error, socket) => {
      if (error !== null) this.#failed(error)
      else if (this.#mode === 'alpn' && (socket as TLSSocket).alpnProtocol !== 'h2') this.#useHttp1(socket)
      else this.#useHttp2(socket)
    })
  }

  #useHttp2(socket: Socket): void {
    this.#opening = false
    this.#sessions.add(socket)
    this.#cacheVersion('http2')
    this.#dispatchWaiting()
  }

  #useHttp1(socket: Socket | null): void {
    this.#opening = false
    this.#spare = socket
    this.#cacheVersion('http1')
    this.#dispatchWaiting()
    // The first request uses the socket; without one it is closed.
    setImmediate(() => this.#takeSpare()?.destroy())
  }

  #failed(error: Error): void {
    this.#opening = false
    const failed = [...this.#waiting.keys()]
    this.#waiting.clear()
    for (const call of failed) call.onResponseError(null, error)
  }

  #cacheVersion(version: 'http1' | 'http2'): void {
    this.#version = version
    this.#knownUntil = performance.now() + VERSION_TTL
  }

  #dispatchWaiting(): void {
    for (const [call, options] of this.#waiting) {
      const carrier = this.#carrier()
      if (carrier === null) break
      this.#waiting.delete(call)
      carrier.dispatch(options, call)
    }
    if (this.#waiting.size > 0) this.#openOrWait()
    this.#capacityChanged()
  }

  #takeSpare(): Socket | null {
    const spare = this.#spare
    this.#spare = null
    return spare?.destroyed ? null : spare
  }

  #http1Pool(connect: buildConnector.connector): Pool {
    const { connections, connectionTimeToLive, localAddress } = this.#settings
    const first: buildConnector.connector = (options, callback) => {
      const spare = this.#takeSpare()
      if (spare === null) connect(options, callback)
      else queueMicrotask(() => callback(null, spare))
    }
    return new Pool(this.#url, {
      factory: (url, options) => new Connection(url, options, first),
      connections,
      clientTtl: Number.isFinite(connectionTimeToLive) ? connectionTimeToLive : null,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: this.#settings.maxHeaderBytes ?? MAX_HEADER_BYTES,
      keepAliveTimeout: Math.min(this.#settings.idleTime ?? IDLE_TIME, MAX_TIMER_DELAY),
      ...(localAddress ? { localAddress } : {}),
      // soTimeout is enforced by the Watchdog.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }
}
