import { type ClientHttp2Session, type ClientSessionOptions, connect } from 'node:http2'
import type { Socket } from 'node:net'
import { MAX_TIMER_DELAY } from '#schema'
import type { Call, Dispatcher, OutboundRequest } from '../dispatcher.ts'
import { isSelfConnection } from '../self-connection.ts'
import { SessionProbe } from './session-probe.ts'
import { StreamCall, type StreamOutcome, type StreamOwner } from './stream-call.ts'

/** Limits of the HTTP/2 connections to one origin. Times are milliseconds. */
interface SessionLimits {
  readonly maxSessions: number
  /** Concurrent streams of one connection, if the peer allows as many. */
  readonly maxStreams: number
  readonly maxHeaderBytes: number
  readonly timeToLive: number
  readonly idleTime: number
  readonly soTimeout: number
}

/** The user of the connections. */
interface SessionsOwner {
  /** The number of possible requests may have grown. */
  capacityChanged(): void
  /** The server sent HTTP_1_1_REQUIRED. */
  refusedHttp2(): void
  /** The server of a connection sent nothing: it gets no further requests. */
  unresponsive(): void
  sessionClosed(): void
}

/**
 * Concurrent streams of the first connection to an origin before its SETTINGS arrive. A server refuses those beyond its limit, and
 * requests whose body was read can not be sent again.
 */
const INITIAL_MAX_STREAMS = 1
/** Concurrent streams of most servers (RFC 9113 section 6.5.2), to estimate the capacity of an origin before its SETTINGS arrive. */
const USUAL_MAX_STREAMS = 100
const STREAM_WINDOW = 262_144
const CONNECTION_WINDOW = 4_194_304
/** Time for the last frames of a connection without streams: a server that reads nothing would keep it open. */
const CLOSE_TIME = 1_000

/** `strictSingleValueFields` is missing in Node's types of clients. */
interface SessionOptions extends ClientSessionOptions {
  readonly strictSingleValueFields: boolean
}

/** The HTTP/2 connections to one origin. */
export class Sessions {
  readonly #origin: URL
  readonly #limits: SessionLimits
  readonly #owner: SessionsOwner
  readonly #open = new Set<Session>()
  /** The last limit that the server announced, on any connection; null before the first. */
  #peerStreams: number | null = null
  #closing = false

  constructor(origin: URL, limits: SessionLimits, owner: SessionsOwner) {
    this.#origin = origin
    this.#limits = limits
    this.#owner = owner
  }

  get connected(): number {
    return this.#open.size
  }

  /** Requests that can run at the same time. */
  get capacity(): number {
    let streams = this.#peerStreams ?? USUAL_MAX_STREAMS
    if (!this.awaitsSettings) for (const session of this.#open) streams = session.maxStreams
    return Math.max(1, streams) * this.#limits.maxSessions
  }

  /** Whether a first connection is open, and its SETTINGS will tell how many requests it can carry. */
  get awaitsSettings(): boolean {
    if (this.#peerStreams !== null) return false
    for (const session of this.#open) if (!session.isRetired) return true
    return false
  }

  /** Not beside a connection whose server accepts no streams, or has not sent its SETTINGS: a further one could carry none either. */
  get mayGrow(): boolean {
    let usable = 0
    for (const session of this.#open) if (!session.isRetired) usable++
    return usable === 0 || (this.#peerStreams !== null && this.#peerStreams > 0 && usable < this.#limits.maxSessions)
  }

  /** A connection with room for one more stream; null where all are full. */
  withRoom(): Session | null {
    for (const session of this.#open) if (session.hasRoom) return session
    return null
  }

  add(socket: Socket): Session {
    const { maxHeaderBytes } = this.#limits
    const options: SessionOptions = {
      createConnection: () => socket,
      // Fields that occur twice are forwarded as over HTTP/1.1.
      strictSingleValueFields: false,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW, maxHeaderListSize: maxHeaderBytes },
    }
    const session = connect(this.#origin, options)
    const added = new Session(session, socket, this.#origin, this.#limits, {
      expectedStreams: () => this.#peerStreams ?? INITIAL_MAX_STREAMS,
      announced: (streams) => {
        this.#peerStreams = streams
      },
      capacityChanged: () => this.#owner.capacityChanged(),
      refusedHttp2: () => this.#owner.refusedHttp2(),
      unresponsive: () => this.#owner.unresponsive(),
      closed: (closed) => {
        this.#open.delete(closed)
        this.#owner.sessionClosed()
      },
    })
    this.#open.add(added)
    if (this.#closing) added.retire()
    return added
  }

  /** Retires a connection, one at a time, for a unit that waits for it; false without one. */
  retireOne(onlyIdle: boolean): boolean {
    let oldest: Session | null = null
    for (const session of this.#open) {
      if (session.isRetired) return false
      if (oldest === null && (!onlyIdle || session.isIdle)) oldest = session
    }
    void oldest?.retire()
    return oldest !== null
  }

  async close(): Promise<void> {
    this.#closing = true
    await Promise.all(Array.from(this.#open, (session) => session.retire()))
  }
}

interface SessionEvents extends Omit<SessionsOwner, 'sessionClosed'> {
  /** Concurrent streams that the server is likely to accept; asked before its SETTINGS arrive. */
  expectedStreams(): number
  /** SETTINGS_MAX_CONCURRENT_STREAMS arrived. */
  announced(streams: number): void
  closed(session: Session): void
}

/** One HTTP/2 connection. */
export class Session implements StreamOwner, Dispatcher {
  readonly session: ClientHttp2Session
  readonly isSelfConnection: boolean
  lastStream: number | null = null
  isRetired = false
  readonly #socket: Socket
  readonly #origin: URL
  readonly #limits: SessionLimits
  readonly #events: SessionEvents
  readonly #closed: Promise<void>
  readonly #expiresAt: number
  readonly #probe: SessionProbe
  #streams = 0
  #carried = 0
  /** Null before the SETTINGS of the server. */
  #peerStreams: number | null = null
  /** Ends the connection; it runs while there are no streams. */
  #ending: NodeJS.Timeout | undefined

  constructor(session: ClientHttp2Session, socket: Socket, origin: URL, limits: SessionLimits, events: SessionEvents) {
    this.session = session
    this.#socket = socket
    this.isSelfConnection = isSelfConnection(socket)
    this.#origin = origin
    this.#limits = limits
    this.#events = events
    this.#expiresAt = performance.now() + limits.timeToLive
    this.#probe = new SessionProbe(session, socket, limits.soTimeout, (isPinged) => this.#onSilence(isPinged))
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#closed = promise
    session.on('connect', () => session.setLocalWindowSize(CONNECTION_WINDOW))
    session.on('remoteSettings', ({ maxConcurrentStreams = USUAL_MAX_STREAMS }) => {
      this.#peerStreams = maxConcurrentStreams
      events.announced(maxConcurrentStreams)
      events.capacityChanged()
    })
    session.on('goaway', (_code, lastStream) => {
      this.lastStream = lastStream
      this.retire()
    })
    // Streams get the error themselves.
    session.on('error', () => {})
    session.on('close', () => {
      this.isRetired = true
      clearTimeout(this.#ending)
      this.#probe.stop()
      events.closed(this)
      events.capacityChanged()
      resolve()
    })
    this.#endLater()
  }

  get maxStreams(): number {
    return Math.min(this.#limits.maxStreams, this.#peerStreams ?? this.#events.expectedStreams())
  }

  get hasRoom(): boolean {
    // Node reports the end of a session with an invalid frame only after the last frames to its server are written.
    if (!this.isRetired && (this.session.destroyed || performance.now() >= this.#expiresAt)) this.retire()
    return !this.isRetired && this.#streams < this.maxStreams
  }

  get isIdle(): boolean {
    return this.#streams === 0
  }

  /** Starts a stream; called only where this connection has room. */
  dispatch(request: OutboundRequest, call: Call): void {
    const stream = new StreamCall(call, this)
    if (!stream.open(this.#origin, request, this.#carried > 0)) return
    this.#carried++
    if (this.#streams++ === 0) {
      clearTimeout(this.#ending)
      this.session.ref()
    }
    stream.start(request)
  }

  streamEnded(outcome: StreamOutcome): void {
    this.#streams--
    if (outcome === 'unanswered') this.#probe.start()
    else if (outcome === 'normal') this.#probe.answered()
    if (outcome === 'unresponsive' || outcome === 'http1-required' || this.session.destroyed) this.retire()
    if (outcome === 'http1-required') this.#events.refusedHttp2()
    if (this.#streams === 0) this.#endLater()
    this.#events.capacityChanged()
  }

  /** Accepts no further streams; resolves when the active ones have ended and it is closed. */
  retire(): Promise<void> {
    if (!this.isRetired) {
      this.isRetired = true
      this.session.close()
      if (this.#streams === 0) this.#endLater()
    }
    return this.#closed
  }

  /** Without a PING the server may have had no reason to send anything: the connection is replaced, but no failure. */
  #onSilence(isPinged: boolean): void {
    if (this.isRetired) return
    this.retire()
    if (isPinged) this.#events.unresponsive()
    this.#events.capacityChanged()
  }

  /** Retires a connection without streams after the idle time; closes one that is retired. */
  #endLater(): void {
    clearTimeout(this.#ending)
    this.session.unref()
    const { idleTime } = this.#limits
    if (this.isRetired) this.#ending = setTimeout(() => this.#socket.destroy(), CLOSE_TIME).unref()
    else if (idleTime <= MAX_TIMER_DELAY) this.#ending = setTimeout(() => this.retire(), idleTime).unref()
  }
}
