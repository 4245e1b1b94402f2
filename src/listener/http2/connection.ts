import { constants, performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { ActiveList } from '#http'
import type { ListenerContext } from '../listener-context.ts'
import type { Peer } from '../peer.ts'
import { Transaction } from '../transaction.ts'
import { Http2Channel, type StreamSession } from './channel.ts'
import { RESET_BURST, ResetBudget } from './reset-budget.ts'
import { MAX_STREAMS, SESSION_WINDOW, STREAM_WINDOW, sessionOptions } from './session-options.ts'

const { NGHTTP2_ENHANCE_YOUR_CALM } = constants

// Allowance of bytes received outside of requests, such as SETTINGS, PING and WINDOW_UPDATE; more is a flood (threats F25).
const BASE_ALLOWANCE = 262_144
const BYTES_PER_SECOND = 4_096
const BYTES_PER_RESPONSE_BYTE = 1 / 8
// RFC 9113 section 4.1. A stream of short messages, as of gRPC, has one frame for each.
const FRAME_HEADER_BYTES = 9
// More are not possible without resets, which Node reports after it has processed all frames that it has read.
const MAX_ACTIVE = MAX_STREAMS + RESET_BURST

const RESET_FLOOD = 'a flood of stream resets'

/** One client connection of HTTP/2, with concurrent requests. */
export class Http2Connection implements StreamSession {
  readonly peer: Peer
  readonly #context: ListenerContext
  readonly #socket: Socket
  readonly #session: ServerHttp2Session
  readonly #active = new ActiveList<Http2Channel>()
  readonly #resets: ResetBudget
  readonly #openedAt = performance.now()
  #idleSince = performance.now()
  /** When its session was first seen to have ended. */
  #endedAt: number | null = null
  #streams = 0
  #bodyBytes = 0
  #isAbusive = false

  constructor(socket: Socket, peer: Peer, context: ListenerContext) {
    this.#socket = socket
    this.peer = peer
    this.#context = context
    this.#resets = new ResetBudget(this.#openedAt)
    this.#session = performServerHandshake(socket, sessionOptions(context.settings))
    this.#session.on('stream', (stream, _headers, flags, raw) => this.#accept(stream, flags, raw))
    this.#session.on('error', (error) => context.logger.debug({ error, client: peer.address }, 'HTTP/2 session failed'))
    this.#session.once('connect', () => {
      if (!this.#session.destroyed) this.#session.setLocalWindowSize(SESSION_WINDOW)
    })
    this.#session.once('close', () => {
      for (const channel of this.#active.all()) channel.abandon('the client closed the connection')
      socket.destroy()
    })
  }

  get isIdle(): boolean {
    return this.#active.size === 0
  }

  countBodyBytes(count: number): void {
    this.#bodyBytes += count + FRAME_HEADER_BYTES
  }

  release(channel: Http2Channel, outcome: 'sent' | 'abandoned'): void {
    this.#active.delete(channel)
    if (this.#active.size === 0) this.#idleSince = performance.now()
    if (outcome === 'abandoned' && !this.#session.destroyed) this.#spendReset()
  }

  /**
   * Serves streams of the given time. A GOAWAY for streams of any number would announce the end (RFC 9113 section 6.8), but
   * nghttp2 ignores all streams that arrive after a GOAWAY of Node.
   */
  retireAfter(milliseconds: number): void {
    if (this.#session.destroyed || this.#session.closed) return
    setTimeout(() => this.retire(), milliseconds).unref()
  }

  /** Sends GOAWAY; active requests may end (RFC 9113 section 6.8). */
  retire(): void {
    if (!this.#session.destroyed) this.#session.close()
  }

  destroy(): void {
    if (!this.#session.destroyed) this.#session.destroy()
    this.#socket.destroy()
  }

  /** Closes an idle connection, truncates responses that the client does not read, ends floods of frames. */
  checkTimeouts(now: number): void {
    const { keepAliveTimeout, idleTimeout } = this.#context.settings
    // Node waits until the last frames are written, and a client that reads nothing would keep its connection.
    if (this.#hasEnded) this.#endedAt ??= now
    if (this.#endedAt !== null && now - this.#endedAt > idleTimeout) {
      this.destroy()
      return
    }
    if (!this.#session.destroyed && this.#isFlooding(now)) {
      this.#terminateAbusive('a flood of frames')
      return
    }
    if (this.isIdle && now - this.#idleSince > keepAliveTimeout) {
      this.retire()
      return
    }
    for (const channel of this.#active.all()) channel.checkProgress(now, idleTimeout)
  }

  /** Whether only the end of the socket is missing. */
  get #hasEnded(): boolean {
    const { destroyed, closed } = this.#session
    return destroyed || (closed && this.isIdle)
  }

  #accept(stream: ServerHttp2Stream, flags: number, raw: string[]): void {
    this.#streams++
    // Reset before it could be processed.
    if (stream.destroyed || stream.aborted) {
      stream.on('error', () => {})
      this.#spendReset()
      return
    }
    if (this.#active.size >= MAX_ACTIVE) {
      stream.on('error', () => {})
      this.#terminateAbusive(RESET_FLOOD)
      return
    }
    const channel = new Http2Channel(this, stream, raw, flags)
    this.#active.add(channel)
    new Transaction(this.#context, channel).start()
  }

  #spendReset(): void {
    if (this.#context.draining) return
    if (!this.#resets.spend(performance.now())) this.#terminateAbusive(RESET_FLOOD)
  }

  #terminateAbusive(reason: string): void {
    if (this.#isAbusive) return
    this.#isAbusive = true
    this.#context.clientLog.abusive(this.peer.address, reason)
    // nghttp2 may have ended it, before Node announces the streams.
    if (!this.#session.destroyed) this.#session.destroy(new Error(reason), NGHTTP2_ENHANCE_YOUR_CALM)
  }

  #isFlooding(now: number): boolean {
    const { bytesRead, bytesWritten } = this.#socket
    const perStream = this.#context.settings.maxTotalHeadersSize
    const allowed =
      BASE_ALLOWANCE +
      ((now - this.#openedAt) / 1000) * BYTES_PER_SECOND +
      this.#streams * perStream +
      (this.#bodyBytes + this.#unreadBytes) * 1.25 +
      bytesWritten * BYTES_PER_RESPONSE_BYTE
    return bytesRead > allowed
  }

  /** Most bytes of uploads that wait to be read, such as for a connection to the application: what their windows allow. */
  get #unreadBytes(): number {
    let uploads = 0
    for (const channel of this.#active.all()) if (!channel.isReceived) uploads++
    return uploads * STREAM_WINDOW
  }
}
