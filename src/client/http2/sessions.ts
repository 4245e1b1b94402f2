import { type ClientHttp2Session, connect } from 'node:http2'
import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { leadsToSelf } from '../self-connection.ts'
import type { Carrier, UpstreamCall } from '../upstream-call.ts'
import { type Lesson, StreamCall, type StreamOwner } from './stream-call.ts'

/** The bounds of HTTP/2 connections to one origin. Times are milliseconds. */
export interface SessionLimits {
  readonly maxSessions: number
  /** Requests on one connection at the same time, if the peer allows as many. */
  readonly maxStreams: number
  readonly maxHeaderBytes: number
  readonly timeToLive: number
  readonly idleTime: number
}

/** Who uses the connections. */
export interface SessionsOwner {
  /** Sends a call another way, or again. */
  dispatch(options: Dispatcher.DispatchOptions, call: UpstreamCall): void
  /** More requests may fit than before. */
  capacityChanged(): void
  /** The server wants HTTP/1.1 for what it was asked. */
  refusedHttp2(): void
}

/** What nobody knows before the peer has said how many streams it takes. */
const FIRST_STREAMS = 100
const STREAM_WINDOW = 262_144
const CONNECTION_WINDOW = 4_194_304
const LONGEST_TIMER = 2 ** 31 - 1

/** The HTTP/2 connections to one origin. */
export class Sessions {
  readonly #origin: URL
  readonly #limits: SessionLimits
  readonly #owner: SessionsOwner
  readonly #open = new Set<Session>()
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
    let streams = FIRST_STREAMS
    for (const session of this.#open) streams = session.maxStreams
    return Math.max(1, streams) * this.#limits.maxSessions
  }

  get mayGrow(): boolean {
    let taking = 0
    for (const session of this.#open) if (!session.isRetired) taking++
    return taking < this.#limits.maxSessions
  }

  /** The connection for one more request; null where all are full. */
  withRoom(): Session | null {
    for (const session of this.#open) if (session.hasRoom) return session
    return null
  }

  add(socket: Socket): Session {
    const { maxHeaderBytes } = this.#limits
    const session = connect(this.#origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW, maxHeaderListSize: maxHeaderBytes },
    })
    const added = new Session(session, this.#origin, this.#limits, leadsToSelf(socket), {
      dispatch: (options, call) => this.#owner.dispatch(options, call),
      capacityChanged: () => this.#owner.capacityChanged(),
      refusedHttp2: () => this.#owner.refusedHttp2(),
      closed: (closed) => this.#open.delete(closed),
    })
    this.#open.add(added)
    if (this.#closing) added.retire()
    return added
  }

  async close(): Promise<void> {
    this.#closing = true
    await Promise.all(Array.from(this.#open, (session) => session.retire()))
  }
}

interface SessionEvents extends SessionsOwner {
  closed(session: Session): void
}

/** One HTTP/2 connection. */
export class Session implements StreamOwner, Carrier {
  readonly session: ClientHttp2Session
  readonly version = 'HTTP/2'
  readonly leadsToSelf: boolean
  lastStream: number | null = null
  isRetired = false
  readonly #origin: URL
  readonly #limits: SessionLimits
  readonly #events: SessionEvents
  readonly #gone: Promise<void>
  readonly #oldAt: number
  #streams = 0
  #carried = 0
  #peerStreams = FIRST_STREAMS
  #idle: NodeJS.Timeout | undefined

  constructor(
    session: ClientHttp2Session,
    origin: URL,
    limits: SessionLimits,
    leadsToSelf: boolean,
    events: SessionEvents,
  ) {
    this.session = session
    this.leadsToSelf = leadsToSelf
    this.#origin = origin
    this.#limits = limits
    this.#events = events
    this.#oldAt = performance.now() + limits.timeToLive
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#gone = promise
    session.on('connect', () => session.setLocalWindowSize(CONNECTION_WINDOW))
    session.on('remoteSettings', ({ maxConcurrentStreams = FIRST_STREAMS }) => {
      this.#peerStreams = maxConcurrentStreams
      events.capacityChanged()
    })
    session.on('goaway', (_code, lastStream) => {
      this.lastStream = lastStream
      this.retire()
    })
    // The streams hear of it themselves.
    session.on('error', () => {})
    session.on('close', () => {
      this.isRetired = true
      clearTimeout(this.#idle)
      events.closed(this)
      events.capacityChanged()
      resolve()
    })
    this.#rest()
  }

  get maxStreams(): number {
    return Math.min(this.#limits.maxStreams, this.#peerStreams)
  }

  get hasRoom(): boolean {
    if (!this.isRetired && performance.now() >= this.#oldAt) this.retire()
    return !this.isRetired && this.#streams < this.maxStreams
  }

  /** Sends a call here, or where there is a connection for it, if this one is past use. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const call = handler as UpstreamCall
    if (this.isRetired) {
      this.#events.dispatch(options, call)
      return true
    }
    if (this.#streams++ === 0) {
      clearTimeout(this.#idle)
      this.session.ref()
    }
    call.carrier = this
    new StreamCall(call, this).start(this.#origin, options)
    return true
  }

  carry(): boolean {
    return this.#carried++ > 0
  }

  /** The stream asks for the trailers itself. */
  finish(_trailers: readonly string[], end: () => void): void {
    end()
  }

  streamOver(lesson: Lesson): void {
    this.#streams--
    if (lesson !== 'none') this.retire()
    if (lesson === 'http1') this.#events.refusedHttp2()
    if (this.#streams === 0) this.#rest()
    this.#events.capacityChanged()
  }

  /** Takes no further requests; resolves when those it has are over and it is closed. */
  retire(): Promise<void> {
    if (!this.isRetired) {
      this.isRetired = true
      this.session.close()
    }
    return this.#gone
  }

  #rest(): void {
    this.session.unref()
    const { idleTime } = this.#limits
    if (idleTime <= LONGEST_TIMER) this.#idle = setTimeout(() => this.retire(), idleTime).unref()
  }
}
