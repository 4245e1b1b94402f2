import { constants, performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { ActiveList } from '#http'
import type { Peer } from '../peer.ts'
import type { Service } from '../service.ts'
import { Transaction } from '../transaction.ts'
import { Http2Channel, type StreamSession } from './channel.ts'
import { ResetBudget } from './reset-budget.ts'
import { sessionOptions, WINDOW_OF_SESSION } from './session-options.ts'

const { NGHTTP2_ENHANCE_YOUR_CALM } = constants

// Frames that carry no request cost bytes too. A session may send so many of them, some more for each request and
// for each byte of a response (window updates); what goes beyond is a flood (threats F25).
const FREE_BYTES = 262_144
const BYTES_PER_SECOND = 4_096
const BYTES_PER_RESPONSE_BYTE = 1 / 8

/** One client connection that speaks HTTP/2: its requests are served side by side. */
export class Http2Connection implements StreamSession {
  readonly peer: Peer
  readonly #service: Service
  readonly #socket: TLSSocket
  readonly #session: ServerHttp2Session
  readonly #running = new ActiveList<Http2Channel>()
  readonly #resets: ResetBudget
  readonly #openedAt = performance.now()
  #idleSince = performance.now()
  #streams = 0
  #bodyBytes = 0

  constructor(socket: TLSSocket, peer: Peer, service: Service) {
    this.#socket = socket
    this.peer = peer
    this.#service = service
    this.#resets = new ResetBudget(this.#openedAt)
    this.#session = performServerHandshake(socket, sessionOptions(service.settings))
    this.#session.on('stream', (stream, _headers, flags, raw) => this.#accept(stream, flags, raw))
    this.#session.on('error', (error) => service.logger.debug({ error, client: peer.address }, 'a session broke'))
    this.#session.once('connect', () => {
      if (!this.#session.destroyed) this.#session.setLocalWindowSize(WINDOW_OF_SESSION)
    })
    this.#session.once('close', () => {
      for (const channel of this.#running.all()) channel.abandon('the client closed the connection')
      socket.destroy()
    })
  }

  get isIdle(): boolean {
    return this.#running.size === 0
  }

  countBodyBytes(count: number): void {
    this.#bodyBytes += count
  }

  release(channel: Http2Channel, outcome: 'sent' | 'abandoned'): void {
    this.#running.delete(channel)
    if (this.#running.size === 0) this.#idleSince = performance.now()
    if (outcome === 'abandoned') this.#spendReset()
  }

  /** Lets running requests end and takes no more (RFC 9113 section 6.8). */
  retire(): void {
    if (!this.#session.destroyed) this.#session.close()
  }

  destroy(): void {
    if (!this.#session.destroyed) this.#session.destroy()
    this.#socket.destroy()
  }

  /** Closes an idle connection, truncates responses that the client does not read, ends floods of frames. */
  checkTimeouts(now: number): void {
    const { keepAliveTimeout, idleTimeout } = this.#service.settings
    if (this.#sendsTooMuch(now)) {
      this.#terminateAbusive('a flood of frames')
      return
    }
    if (this.isIdle && now - this.#idleSince > keepAliveTimeout) {
      this.retire()
      return
    }
    for (const channel of this.#running.all()) channel.checkProgress(now, idleTimeout)
  }

  #accept(stream: ServerHttp2Stream, flags: number, raw: string[]): void {
    this.#streams++
    // It was taken back before anything could be done for it.
    if (stream.destroyed || stream.aborted) {
      stream.on('error', () => {})
      this.#spendReset()
      return
    }
    const channel = new Http2Channel(this, stream, raw, flags)
    this.#running.add(channel)
    new Transaction(this.#service, channel).start()
  }

  #spendReset(): void {
    if (this.#session.destroyed || this.#service.draining) return
    if (!this.#resets.take(performance.now())) this.#terminateAbusive('a flood of requests that were taken back')
  }

  /** The session ends at once; other clients are not concerned. */
  #terminateAbusive(reason: string): void {
    if (this.#session.destroyed) return
    this.#service.clientLog.abusive(this.peer.address, reason)
    this.#session.destroy(new Error(reason), NGHTTP2_ENHANCE_YOUR_CALM)
  }

  #sendsTooMuch(now: number): boolean {
    const { bytesRead, bytesWritten } = this.#socket
    const perStream = this.#service.settings.maxTotalHeadersSize
    const allowed =
      FREE_BYTES +
      ((now - this.#openedAt) / 1000) * BYTES_PER_SECOND +
      this.#streams * perStream +
      this.#bodyBytes * 1.25 +
      bytesWritten * BYTES_PER_RESPONSE_BYTE
    return bytesRead > allowed
  }
}
