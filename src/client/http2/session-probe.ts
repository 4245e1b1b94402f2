import type { ClientHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { MAX_TIMER_DELAY } from '#schema'

/** Longest wait for the acknowledgement of a PING. */
const PING_TIME = 2_000
/** PINGs without a response between them: gRPC servers close a connection with more ("too_many_pings"). */
const MAX_PINGS = 2

/**
 * Detects a server that sends nothing, although its TCP connection is open, when requests are aborted before `soTimeout`.
 * Any byte shows that it is alive: an acknowledgement, or a frame of another stream.
 */
export class SessionProbe {
  readonly #session: ClientHttp2Session
  readonly #socket: Socket
  readonly #soTimeout: number
  readonly #onSilence: (isPinged: boolean) => void
  #pings = 0
  #timer: NodeJS.Timeout | undefined

  constructor(session: ClientHttp2Session, socket: Socket, soTimeout: number, onSilence: (isPinged: boolean) => void) {
    this.#session = session
    this.#socket = socket
    this.#soTimeout = soTimeout
    this.#onSilence = onSilence
  }

  /** A response was received. */
  answered(): void {
    this.#pings = 0
  }

  /** Sends a PING, and after some time checks that bytes were received; one check at a time. */
  start(): void {
    if (this.#timer !== undefined || this.#session.destroyed) return
    const { bytesRead } = this.#socket
    const isPinged = this.#pings < MAX_PINGS && this.#session.ping(() => {})
    if (isPinged) this.#pings++
    const time = isPinged ? Math.min(this.#soTimeout, PING_TIME) : this.#soTimeout
    if (time > MAX_TIMER_DELAY) return
    // Timers run before I/O: wait for one poll phase, so that bytes that have arrived count.
    this.#timer = setTimeout(() => setImmediate(() => this.#check(bytesRead, isPinged)), time).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #check(bytesRead: number, isPinged: boolean): void {
    this.#timer = undefined
    if (!this.#session.destroyed && this.#socket.bytesRead === bytesRead) this.#onSilence(isPinged)
  }
}
