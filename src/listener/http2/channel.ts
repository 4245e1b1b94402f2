import { constants, type ServerHttp2Stream } from 'node:http2'
import { addAbortSignal } from 'node:stream'
import { type ActiveListItem, isStreamCancelled, type RequestLine, type Response } from '#http'
import type { AdmittedRequest } from '../admission.ts'
import type { ListenerContext } from '../listener-context.ts'
import type { Peer } from '../peer.ts'
import type { BodyOwner, ReceivedBody } from '../received-body.ts'
import type { Refusal } from '../refusal.ts'
import type { ChannelObserver, ResponseChannel } from '../response-channel.ts'
import { headOf, type ResponseHead } from '../response-head.ts'
import { discardRest } from './discard-rest.ts'
import { addFields, type FieldRecord, streamHeaders } from './fields.ts'
import { type BodyByteCounter, StreamBody } from './stream-body.ts'
import { admitStream, expectsContinue } from './stream-head.ts'

const { NGHTTP2_FLAG_END_STREAM, NGHTTP2_NO_ERROR } = constants

const NO_FIELDS: readonly string[] = []

/** The connection of a stream. */
export interface StreamSession extends BodyByteCounter {
  readonly peer: Peer
  release(channel: Http2Channel, outcome: 'sent' | 'abandoned'): void
}

/** The channel of HTTP/2: one stream. */
export class Http2Channel implements ResponseChannel, ActiveListItem {
  slot = -1
  readonly chunkedEncoding = true
  readonly acceptsInformational = true
  readonly upgradable = null
  expectsContinue = false
  readonly #session: StreamSession
  readonly #stream: ServerHttp2Stream
  readonly #endsWithHead: boolean
  #observer!: ChannelObserver
  #fields: readonly string[]
  #method = ''
  #isHeadOnly = false
  #trailers: FieldRecord | null = null
  #blockedAt = 0
  #blockedBytes = -1

  constructor(session: StreamSession, stream: ServerHttp2Stream, fields: readonly string[], flags: number) {
    this.#session = session
    this.#stream = stream
    this.#fields = fields
    this.#endsWithHead = (flags & NGHTTP2_FLAG_END_STREAM) !== 0
  }

  get peer(): Peer {
    return this.#session.peer
  }

  get isReceived(): boolean {
    return this.#endsWithHead || this.#stream.readableEnded
  }

  get headersSent(): boolean {
    return this.#stream.headersSent
  }

  get isClosed(): boolean {
    return this.#stream.destroyed || this.#stream.closed
  }

  observe(observer: ChannelObserver): void {
    this.#observer = observer
    const stream = this.#stream
    stream.on('error', ignore)
    stream.once('aborted', () => this.abandon('the client reset the stream'))
    stream.once('close', () => this.#onClose())
    stream.once('finish', () => this.#onFinish())
  }

  abandon(reason: string): void {
    this.#observer.abandon(new Error(reason))
  }

  /** Reports a response of which the client read nothing for the idle timeout. */
  checkProgress(now: number, idleTimeout: number): void {
    const written = this.#observer.responseBytes
    if (written === null || this.#stream.writableLength === 0) {
      this.#blockedBytes = -1
    } else if (written !== this.#blockedBytes) {
      this.#blockedBytes = written
      this.#blockedAt = now
    } else if (now - this.#blockedAt > idleTimeout) {
      this.#observer.onResponseStalled()
    }
  }

  admit(context: ListenerContext): AdmittedRequest | Refusal {
    const fields = this.#fields
    const admitted = admitStream(fields, this.#endsWithHead, this.peer, context)
    if ('problem' in admitted) return admitted
    this.#fields = NO_FIELDS
    this.#method = admitted.method
    this.expectsContinue = expectsContinue(fields)
    return admitted
  }

  refusedLine(): RequestLine {
    return { method: this.#field(':method') ?? '', target: this.#field(':path') ?? '', protocol: 'HTTP/2' }
  }

  refusedAccept(): string | null {
    return this.#field('accept')
  }

  #field(name: string): string | null {
    for (let at = 0; at < this.#fields.length; at += 2)
      if (this.#fields[at] === name) return this.#fields[at + 1] ?? null
    return null
  }

  receiveBody(_length: number, owner: BodyOwner): ReceivedBody {
    return new StreamBody(this.#stream, owner, this.#session)
  }

  sendContinue(): void {
    this.expectsContinue = false
    this.sendInformational(100, NO_FIELDS)
  }

  sendInformational(status: number, fields: readonly string[]): void {
    if (this.headersSent || this.isClosed) return
    const list: FieldRecord = { ':status': String(status) }
    addFields(list, fields)
    this.#stream.additionalHeaders(list)
  }

  sendHead(response: Response): ResponseHead {
    const stream = this.#stream
    // nghttp2 has no other statuses.
    if (response.status > 599) throw new RangeError(`status ${response.status} cannot be sent over HTTP/2`)
    // Node resets a stream after its response if its body was never touched; `release` reads the rest instead.
    if (!this.isReceived && stream.readableFlowing === null) stream.pause()
    const head = headOf(response, this.#method)
    const waitForTrailers = head.hasBody && head.length === null
    const endStream = isWithoutContent(head)
    stream.respond(streamHeaders(response.status, head.raw), { endStream, waitForTrailers })
    if (waitForTrailers) stream.once('wantTrailers', () => this.#sendTrailers())
    this.#isHeadOnly = endStream
    return head
  }

  endsWithHead(response: Response): boolean {
    return isWithoutContent(headOf(response, this.#method))
  }

  /** No-op: HTTP/2 sends the head at once. */
  flushHeaders(): void {}

  write(chunk: Uint8Array): boolean {
    return this.#stream.write(chunk)
  }

  end(content?: string | Uint8Array): void {
    if (this.#isHeadOnly) this.#onFinish()
    else if (typeof content === 'string') this.#stream.end(content, 'latin1')
    else this.#stream.end(content)
  }

  once(_event: 'drain', listener: () => void): void {
    this.#stream.once('drain', listener)
  }

  addTrailers(pairs: readonly [string, string][]): void {
    const trailers: FieldRecord = Object.create(null)
    addFields(trailers, pairs.flat())
    this.#trailers = trailers
  }

  /** Not close(): that would end the body cleanly before it resets the stream. */
  truncate(reason: Error): void {
    if (this.#stream.destroyed) return
    if (isStreamCancelled(reason)) cancel(this.#stream)
    else this.#stream.destroy(reason)
  }

  release(outcome: 'sent' | 'abandoned'): void {
    this.#session.release(this, outcome)
    const isUnread = outcome === 'sent' && !this.isReceived && !this.#stream.destroyed
    if (isUnread) discardRest(this.#stream, this.#session)
  }

  #sendTrailers(): void {
    if (!this.isClosed) this.#stream.sendTrailers(this.#trailers ?? {})
  }

  /** Node can close a stream before its `finish`: nghttp2 has sent the response, and the write has not been reported yet. */
  #onClose(): void {
    const { headersSent, writableEnded, aborted, rstCode } = this.#stream
    if (headersSent && writableEnded && !aborted && rstCode === NGHTTP2_NO_ERROR) this.#observer.onResponseSent()
    else this.abandon('the stream was closed')
  }

  /** The writable side of a HEAD request, or of a stream that was reset, finishes without a response. */
  #onFinish(): void {
    if (this.#stream.headersSent && !this.#stream.aborted) this.#observer.onResponseSent()
  }
}

/** RST_STREAM with CANCEL, which Node sends for an abort by a signal only; for any other error it is INTERNAL_ERROR. */
function cancel(stream: ServerHttp2Stream): void {
  addAbortSignal(AbortSignal.abort(), stream)
}

function ignore(): void {}

/** Also where the content is empty: in gRPC a head with a status must end its stream. */
function isWithoutContent({ hasBody, length }: ResponseHead): boolean {
  return !hasBody || length === 0
}
