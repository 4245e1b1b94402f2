import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { withoutBrackets } from '#http'
import type { Call, CallQueue, Dispatcher, OutboundRequest } from './dispatcher.ts'
import { Connections } from './http1/connections.ts'
import { type Session, Sessions } from './http2/sessions.ts'
import { supportsH2cUpgrade } from './http2/upgrade-probe.ts'
import { type ConnectOptions, createOpener, type OpenSocket, type PendingSocket } from './open-socket.ts'
import { type ConnectionPermits, joinPermits, type PermitUser } from './permits/connection-permits.ts'
import { type ClientSettings, permitKey } from './settings.ts'
import type { UpstreamError } from './upstream-error.ts'
import { waitFailure } from './wait-failure.ts'

/** How HTTP/2 is chosen for an origin. */
export type Http2Mode = 'off' | 'alpn' | 'prior-knowledge' | 'h2c-upgrade'

/** Default limit of a response head. */
const MAX_HEADER_BYTES = 65_536
/** Shorter than the usual keep-alive time of servers that send no Keep-Alive header. */
const IDLE_TIME = 4_000
const SESSION_IDLE_TIME = 60_000
/** TTL of the HTTP version of an origin. */
const VERSION_TTL = 600_000

/** The connections to one origin, HTTP/1.1 and HTTP/2. */
export class Transport implements Dispatcher, CallQueue, PermitUser {
  readonly #url: URL
  readonly #settings: ClientSettings
  readonly #mode: Http2Mode
  readonly #http1: Connections
  readonly #sessions: Sessions
  readonly #openHttp2: OpenSocket
  readonly #permits: ConnectionPermits
  #version: 'unknown' | 'http1' | 'http2' = 'unknown'
  #knownUntil = 0
  #opening = false
  /** Null while none is being opened, and for the probe of HTTP/2. */
  #pending: PendingSocket | null = null
  #isDispatching = false
  /** Calls that wait for an HTTP/2 connection, in order of arrival. */
  readonly #waiting = new Map<Call, OutboundRequest>()

  /** `unresponsive` is called when a connection gets no further requests, since its server is silent. */
  constructor(url: URL, settings: ClientSettings, connect: ConnectOptions, mode: Http2Mode, unresponsive: () => void) {
    this.#url = url
    this.#settings = settings
    this.#mode = mode
    const { connections, connectionTimeToLive, http2, idleTime, maxHeaderBytes = MAX_HEADER_BYTES } = settings
    const target = {
      isSecure: url.protocol === 'https:',
      hostname: withoutBrackets(url.hostname),
      port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
      localAddress: settings.localAddress ?? null,
    }
    const open = createOpener(connect)
    const openHttp2 = createOpener({ ...connect, alpn: ['h2', 'http/1.1'] })
    this.#openHttp2 = (callback) => openHttp2(target, callback)
    this.#http1 = new Connections(
      { maxHeadBytes: maxHeaderBytes, timeToLive: connectionTimeToLive, idleTime: idleTime ?? IDLE_TIME },
      (callback) => open(target, callback),
    )
    const limits = {
      maxSessions: Math.min(connections, http2?.maxSessions ?? Number.POSITIVE_INFINITY),
      maxStreams: http2?.maxStreams ?? Number.POSITIVE_INFINITY,
      maxHeaderBytes,
      timeToLive: connectionTimeToLive,
      idleTime: http2?.idleTime ?? SESSION_IDLE_TIME,
      soTimeout: settings.soTimeout,
    }
    this.#sessions = new Sessions(url, limits, {
      capacityChanged: () => this.#dispatchWaiting(),
      refusedHttp2: () => this.#cacheVersion('http1'),
      unresponsive,
      sessionClosed: () => this.#permits.release(),
    })
    // Last: the pool may be used at once.
    this.#permits = joinPermits(settings.permits ?? null, permitKey(settings, url.origin), connections, this)
    this.#http1.permits = this.#permits
  }

  get connected(): number {
    return this.#http1.connected + this.#sessions.connected
  }

  /** Calls whose connection is being opened. */
  get pending(): number {
    return this.#http1.pending + this.#waiting.size - this.#queuedForHttp2
  }

  /** Calls that wait for a connection to become free. */
  get queued(): number {
    return this.#http1.queued + this.#queuedForHttp2
  }

  get lacking(): number {
    // Where the server has HTTP/1.1 only, the calls that wait are dispatched next, over the connection that negotiated it.
    const lacksSession = this.#waiting.size > 0 && !this.#opening && !this.#usesHttp1 && this.#sessions.mayGrow
    return this.#http1.lacking + (lacksSession ? 1 : 0)
  }

  /** Whether one more call would not be queued, beside the active ones. */
  hasRoom(active: number): boolean {
    if (this.#usesHttp1) return this.#http1.hasRoom
    if (this.#sessions.withRoom() !== null) return true
    return active < this.#capacity && (this.#isOpening || (this.#sessions.mayGrow && this.#permits.isAvailable))
  }

  dispatch(request: OutboundRequest, call: Call, isRepeated: boolean): void {
    const dispatcher = this.#dispatcher()
    if (dispatcher !== null) {
      dispatcher.dispatch(request, call, isRepeated)
      return
    }
    this.#waiting.set(call, request)
    call.queue = this
    this.#openOrWait()
  }

  withdraw(call: Call): boolean {
    const isWithdrawn = this.#waiting.delete(call)
    if (isWithdrawn) this.#permits.lackingChanged()
    return isWithdrawn
  }

  waitFailure(): UpstreamError {
    return waitFailure(this.#pending, !this.#opening && this.#permits.anyConnected)
  }

  grow(): void {
    this.#http1.grow()
    if (this.#waiting.size > 0) this.#openOrWait()
  }

  closeIdle(): boolean {
    return this.#http1.closeIdle() || this.#sessions.retireOne(true)
  }

  retireOne(): void {
    this.#sessions.retireOne(false)
  }

  async close(): Promise<void> {
    await Promise.all([this.#http1.close(), this.#sessions.close()])
    this.#permits.leave(this)
  }

  get #usesHttp1(): boolean {
    return this.#mode === 'off' || (this.#version === 'http1' && performance.now() < this.#knownUntil)
  }

  /** Requests that can run at the same time, if there are permits for all connections. */
  get #capacity(): number {
    return this.#version === 'http2' ? this.#sessions.capacity : this.#settings.connections
  }

  get #isOpening(): boolean {
    return this.#opening || this.#sessions.awaitsSettings
  }

  get #queuedForHttp2(): number {
    const { size } = this.#waiting
    return this.#isOpening ? Math.max(0, size - this.#capacity) : size
  }

  /** Where one more call is dispatched; null where a connection must be opened first. */
  #dispatcher(): Connections | Session | null {
    return this.#usesHttp1 ? this.#http1 : this.#sessions.withRoom()
  }

  /** Opens one connection at a time: further calls wait for it, and share it if it has room. */
  #openOrWait(): void {
    if (this.#opening) return
    if (!this.#sessions.mayGrow || !this.#permits.acquire()) {
      // SETTINGS may not arrive, or may have lowered SETTINGS_MAX_CONCURRENT_STREAMS, even to 0: bound the wait.
      for (const call of this.#waiting.keys()) call.wait()
      this.#permits.lackingChanged()
      return
    }
    this.#opening = true
    this.#open().catch((error: Error) => this.#failed(error))
  }

  async #open(): Promise<void> {
    const { connectionTimeout: timeout, ownListeners = null } = this.#settings
    const needsProbe =
      this.#mode === 'h2c-upgrade' && (this.#version !== 'http2' || performance.now() >= this.#knownUntil)
    const server = { hostname: withoutBrackets(this.#url.hostname), port: Number(this.#url.port) || 80 }
    if (needsProbe && !(await supportsH2cUpgrade({ ...server, timeout, ownListeners }))) {
      this.#useHttp1(null)
      return
    }
    this.#pending = this.#openHttp2((error, socket) => {
      this.#pending = null
      if (error !== null) this.#failed(error)
      else if (this.#mode === 'alpn' && (socket as TLSSocket).alpnProtocol !== 'h2') this.#useHttp1(socket)
      else this.#useHttp2(socket)
    })
  }

  #useHttp2(socket: Socket): void {
    this.#opening = false
    this.#sessions.add(socket)
    this.#permits.connectedChanged()
    this.#cacheVersion('http2')
    this.#dispatchWaiting()
  }

  #useHttp1(socket: Socket | null): void {
    this.#opening = false
    this.#cacheVersion('http1')
    if (socket !== null) this.#http1.adopt(socket)
    this.#dispatchWaiting()
    if (socket === null) this.#permits.release()
  }

  #failed(error: Error): void {
    this.#opening = false
    const failed = [...this.#waiting.keys()]
    this.#waiting.clear()
    this.#permits.release()
    for (const call of failed) call.failed(error)
  }

  #cacheVersion(version: 'http1' | 'http2'): void {
    this.#version = version
    this.#knownUntil = performance.now() + VERSION_TTL
  }

  /** A stream that ends as it starts makes room for the next call of the loop, not for a loop within it. */
  #dispatchWaiting(): void {
    if (this.#isDispatching) return
    this.#isDispatching = true
    for (const [call, request] of this.#waiting) {
      const dispatcher = this.#dispatcher()
      if (dispatcher === null) break
      this.#waiting.delete(call)
      dispatcher.dispatch(request, call, false)
    }
    this.#isDispatching = false
    if (this.#waiting.size > 0) this.#openOrWait()
    this.#permits.lackingChanged()
  }
}
