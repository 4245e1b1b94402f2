import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { type buildConnector, type Dispatcher, Pool } from 'undici'
import { Connection, connector, MAX_HEADER_BYTES, type Ways } from './connection.ts'
import { type Session, Sessions } from './http2/sessions.ts'
import { speaksHttp2 } from './http2/upgrade-probe.ts'
import type { ClientSettings } from './settings.ts'
import type { CallQueue, UpstreamCall } from './upstream-call.ts'

/** How an origin comes to be spoken to in HTTP/2: never, as TLS agrees, always, or if it changes when asked. */
export type Http2Way = 'never' | 'negotiated' | 'known' | 'asked'

/** Shorter than what servers usually grant without saying; a server's own Keep-Alive field is obeyed. */
const IDLE_TIME = 4_000
const SESSION_IDLE_TIME = 60_000
/** How long it is remembered that an origin speaks HTTP/1.1 only, or that it changed to HTTP/2 when asked. */
const MEMORY = 600_000
const LONGEST_TIMER = 2 ** 31 - 1

/** The connections to one origin, of whatever version of HTTP. */
export class Transport implements CallQueue {
  readonly #url: URL
  readonly #settings: ClientSettings
  readonly #way: Http2Way
  readonly #http1: Pool
  readonly #sessions: Sessions
  readonly #connect: buildConnector.connector
  readonly #capacityChanged: () => void
  #version: 'unknown' | 'http1' | 'http2' = 'unknown'
  #knownUntil = 0
  #opening = false
  /** Calls that wait for a connection of HTTP/2, in the order of their arrival. */
  readonly #unplaced = new Map<UpstreamCall, Dispatcher.DispatchOptions>()
  #spare: Socket | null = null

  constructor(url: URL, settings: ClientSettings, ways: Ways, way: Http2Way, capacityChanged: () => void) {
    this.#url = url
    this.#settings = settings
    this.#way = way
    this.#capacityChanged = capacityChanged
    this.#connect = connector({ ...ways, offers: ['h2', 'http/1.1'] })
    this.#http1 = this.#http1Pool(connector(ways))
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
      capacityChanged: () => this.#placeAndTell(),
      refusedHttp2: () => this.#remember('http1'),
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
    return this.#http1.stats.pending + this.#unplaced.size
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const carrier = this.#carrier()
    if (carrier !== null) return carrier.dispatch(options, handler)
    const call = handler as UpstreamCall
    this.#unplaced.set(call, options)
    call.queue = this
    this.#growOrWait()
    return true
  }

  withdraw(call: UpstreamCall): boolean {
    return this.#unplaced.delete(call)
  }

  async close(): Promise<void> {
    await Promise.all([this.#http1.close(), this.#sessions.close()])
  }

  /** What can take one more call; null where that needs a connection first. */
  #carrier(): Pool | Session | null {
    const isHttp1 = this.#version === 'http1' && performance.now() < this.#knownUntil
    return this.#way === 'never' || isHttp1 ? this.#http1 : this.#sessions.withRoom()
  }

  /** One connection at a time: what comes meanwhile fits on the one that is being made, or makes the next one. */
  #growOrWait(): void {
    if (this.#opening) return
    if (!this.#sessions.mayGrow) {
      // A server may allow fewer streams than it did, or none: the wait for it is bounded.
      for (const call of this.#unplaced.keys()) call.wait()
      return
    }
    this.#opening = true
    this.#open().catch((error: Error) => this.#failed(error))
  }

  async #open(): Promise<void> {
    const { hostname, protocol, port } = this.#url
    const server = { hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 80 }
    const { connectionTimeout: timeout, ownListeners = null } = this.#settings
    const isAsked = this.#way === 'asked' && (this.#version !== 'http2' || performance.now() >= this.#knownUntil)
    if (isAsked && !(await speaksHttp2({ ...server, timeout, ownListeners }))) {
      this.#speakHttp1(null)
      return
    }
    const localAddress = this.#settings.localAddress ?? null
    this.#connect({ hostname: server.hostname, protocol, port, localAddress }, (error, socket) => {
      if (error !== null) this.#failed(error)
      else if (this.#way === 'negotiated' && (socket as TLSSocket).alpnProtocol !== 'h2') this.#speakHttp1(socket)
      else this.#speakHttp2(socket)
    })
  }

  #speakHttp2(socket: Socket): void {
    this.#opening = false
    this.#sessions.add(socket)
    this.#remember('http2')
    this.#placeAndTell()
  }

  #speakHttp1(socket: Socket | null): void {
    this.#opening = false
    this.#spare = socket
    this.#remember('http1')
    this.#placeAndTell()
    // The first request takes it; where none is left, nobody needs it.
    setImmediate(() => this.#takeSpare()?.destroy())
  }

  #failed(error: Error): void {
    this.#opening = false
    const failed = [...this.#unplaced.keys()]
    this.#unplaced.clear()
    for (const call of failed) call.onResponseError(null, error)
  }

  #remember(version: 'http1' | 'http2'): void {
    this.#version = version
    this.#knownUntil = performance.now() + MEMORY
  }

  #placeAndTell(): void {
    for (const [call, options] of this.#unplaced) {
      const carrier = this.#carrier()
      if (carrier === null) break
      this.#unplaced.delete(call)
      carrier.dispatch(options, call)
    }
    if (this.#unplaced.size > 0) this.#growOrWait()
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
      keepAliveTimeout: Math.min(this.#settings.idleTime ?? IDLE_TIME, LONGEST_TIMER),
      ...(localAddress ? { localAddress } : {}),
      // The watchdog does both: see soTimeout.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }
}
