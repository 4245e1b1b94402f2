import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2'
import type { Dispatcher } from 'undici'
import { reasonPhrase, StreamCancelledError } from '#http'
import { RequestBody } from '../request-body.ts'
import type { UpstreamCall } from '../upstream-call.ts'
import { UpstreamError } from '../upstream-error.ts'
import { announcedLength, streamFields, withEmptyContent, withoutPseudoFields } from './fields.ts'

/** The connection of a stream. */
export interface StreamOwner {
  readonly session: ClientHttp2Session
  /** Last-Stream-ID of the peer's GOAWAY; null without one. */
  readonly lastStream: number | null
  streamEnded(outcome: StreamOutcome): void
}

/** How a stream ended, as far as it concerns its connection. */
export type StreamOutcome = 'normal' | 'unresponsive' | 'http1-required'

const { NGHTTP2_FLAG_END_STREAM } = constants
const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR, NGHTTP2_PROTOCOL_ERROR, NGHTTP2_REFUSED_STREAM } = constants
const { NGHTTP2_HTTP_1_1_REQUIRED, NGHTTP2_COMPRESSION_ERROR, NGHTTP2_FRAME_SIZE_ERROR } = constants

const MALFORMED: ReadonlySet<number> = new Set([
  NGHTTP2_PROTOCOL_ERROR,
  NGHTTP2_COMPRESSION_ERROR,
  NGHTTP2_FRAME_SIZE_ERROR,
])

/** One call on one HTTP/2 stream, with the controller interface of undici. */
export class StreamCall implements Dispatcher.DispatchController {
  aborted = false
  paused = false
  reason: Error | null = null
  rawHeaders: string[] = []
  rawTrailers: string[] = []
  readonly #call: UpstreamCall
  readonly #owner: StreamOwner
  #stream: ClientHttp2Stream | null = null
  #body: RequestBody | null = null
  #ended = false
  #hasContent = true
  #streamError: Error | null = null
  /** Bytes of Content-Length that have not been received. */
  #missing = 0

  constructor(call: UpstreamCall, owner: StreamOwner) {
    this.#call = call
    this.#owner = owner
  }

  start(origin: URL, options: Dispatcher.DispatchOptions): void {
    const body = options.body as Uint8Array | RequestBody | null
    this.#hasContent = options.method !== 'HEAD'
    try {
      this.#call.onRequestStart(this)
      const length = body instanceof Uint8Array ? body.length : null
      this.#stream = this.#owner.session.request(streamFields(origin, options, length), {
        endStream: body === null,
        waitForTrailers: body instanceof RequestBody,
      })
    } catch (error) {
      // Node throws for fields that are invalid in HTTP/2 before it sends the head.
      const failure = error instanceof UpstreamError ? error : new UpstreamError('GW_UPSTREAM_REQUEST', error)
      this.#finish('normal')
      this.#call.onResponseError(this, failure)
      return
    }
    this.#listen(this.#stream)
    if (body instanceof RequestBody) this.#upload(this.#stream, body)
    else if (body !== null) this.#stream.end(body)
  }

  abort(reason: Error): void {
    if (this.#ended) return
    this.aborted = true
    this.reason = reason
    // The whole connection may be unresponsive: it gets no further streams.
    const isTimeout = reason instanceof UpstreamError && reason.code === 'GW_UPSTREAM_TIMEOUT'
    this.#fail(reason, isTimeout ? 'unresponsive' : 'normal')
  }

  pause(): void {
    this.paused = true
    this.#stream?.pause()
  }

  resume(): void {
    this.paused = false
    this.#stream?.resume()
  }

  #listen(stream: ClientHttp2Stream): void {
    stream.on('headers', ({ ':status': status = 0 }, _flags, raw) => this.#onInformational(status, raw))
    stream.on('response', ({ ':status': status = 0 }, flags, raw) => this.#onResponse(stream, status, flags, raw))
    stream.on('trailers', (_fields, _flags, raw) => {
      this.rawTrailers = withoutPseudoFields(raw)
    })
    stream.on('end', () => this.#onEnd(stream))
    stream.on('error', (error) => {
      this.#streamError ??= error
    })
    stream.on('close', () => this.#onClose(stream))
  }

  #onInformational(status: number, raw: string[]): void {
    if (this.#ended || status === 100) return
    this.rawHeaders = withoutPseudoFields(raw)
    this.#guarded(() => this.#call.onResponseStart(this, status, null))
  }

  #onResponse(stream: ClientHttp2Stream, status: number, flags: number, raw: string[]): void {
    if (this.#ended) return
    const fields = withoutPseudoFields(raw)
    this.rawHeaders = fields
    if (this.#hasContent && status !== 204 && status !== 304) {
      this.#missing = announcedLength(fields)
      // A head that ends its stream, as of errors in gRPC: the body is known to be empty.
      if ((flags & NGHTTP2_FLAG_END_STREAM) !== 0 && this.#missing === 0) this.rawHeaders = withEmptyContent(fields)
    }
    this.#call.onResponseStarted()
    // HTTP/2 has no reason phrase; HTTP/1.1 clients get the standard one.
    this.#guarded(() => this.#call.onResponseStart(this, status, null, reasonPhrase(status)))
    stream.on('data', (chunk: Buffer) => {
      this.#missing -= chunk.length
      if (!this.#ended) this.#guarded(() => this.#call.onResponseData(this, chunk))
    })
    if (this.paused) stream.pause()
  }

  /** `end` is also emitted for a stream that was reset, or is shorter than its Content-Length. */
  #onEnd(stream: ClientHttp2Stream): void {
    if (this.#ended || stream.rstCode !== NGHTTP2_NO_ERROR || this.#missing > 0) return
    this.#finish('normal')
    this.#call.onResponseEnd(this)
    // RFC 9113 section 8.1: the rest of the request is not needed.
    if (!stream.writableEnded) stream.close(NGHTTP2_NO_ERROR)
  }

  #onClose(stream: ClientHttp2Stream): void {
    if (this.#ended) return
    const code = stream.rstCode ?? NGHTTP2_NO_ERROR
    this.#fail(this.#problem(stream, code), code === NGHTTP2_HTTP_1_1_REQUIRED ? 'http1-required' : 'normal')
  }

  #problem(stream: ClientHttp2Stream, code: number): Error {
    const { lastStream } = this.#owner
    const isBeyond = lastStream !== null && (stream.id === undefined || stream.id > lastStream)
    if (code === NGHTTP2_REFUSED_STREAM || code === NGHTTP2_HTTP_1_1_REQUIRED || isBeyond) {
      return closed('HTTP/2: the server did not process the request', 'GW_UNPROCESSED')
    }
    if (MALFORMED.has(code)) return new UpstreamError('GW_UPSTREAM_PROTOCOL', this.#streamError)
    const cause = code === NGHTTP2_CANCEL ? new StreamCancelledError() : this.#streamError
    return closed(`HTTP/2: the stream was closed with code ${code}`, 'UND_ERR_SOCKET', cause)
  }

  /** A handler that throws fails the call, as in undici. */
  #guarded(deliver: () => void): void {
    try {
      deliver()
    } catch (error) {
      this.#fail(error as Error, 'normal')
    }
  }

  #upload(stream: ClientHttp2Stream, body: RequestBody): void {
    this.#body = body
    body.on('data', (chunk: Uint8Array) => {
      if (!stream.destroyed && !stream.write(chunk)) body.pause()
    })
    body.on('end', () => stream.end())
    body.on('error', (error: Error) => this.#fail(error, 'normal'))
    stream.on('drain', () => body.resume())
    stream.on('wantTrailers', () => stream.sendTrailers(body.trailerFields()))
    body.resume()
  }

  #fail(error: Error, outcome: StreamOutcome): void {
    if (this.#ended) return
    this.#finish(outcome)
    if (this.#stream !== null && !this.#stream.closed) this.#stream.close(NGHTTP2_CANCEL)
    this.#call.onResponseError(this, error)
  }

  #finish(outcome: StreamOutcome): void {
    this.#ended = true
    this.#body?.destroy()
    this.#owner.streamEnded(outcome)
  }
}

function closed(message: string, code: string, cause?: unknown): Error {
  return Object.assign(new Error(message, cause === undefined ? undefined : { cause }), { code })
}
