import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2'
import { type Body, reasonPhrase, StreamCancelledError } from '#http'
import type { Call, DispatchController, OutboundRequest } from '../dispatcher.ts'
import { Upload, type UploadTarget } from '../upload.ts'
import { BeyondGoawayError, UpstreamError } from '../upstream-error.ts'
import { announcedLength, streamFields, trailerFields, withoutPseudoFields } from './fields.ts'

/** The connection of a stream. */
export interface StreamOwner {
  readonly session: ClientHttp2Session
  readonly isSelfConnection: boolean
  /** Last-Stream-ID of the peer's GOAWAY; null without one. */
  readonly lastStream: number | null
  streamEnded(outcome: StreamOutcome): void
}

/** How a stream ended, as far as it concerns its connection; `unanswered` without a byte of a response, by us. */
export type StreamOutcome = 'normal' | 'unanswered' | 'unresponsive' | 'http1-required'

const { NGHTTP2_FLAG_END_STREAM } = constants
const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR, NGHTTP2_PROTOCOL_ERROR, NGHTTP2_REFUSED_STREAM } = constants
const { NGHTTP2_HTTP_1_1_REQUIRED, NGHTTP2_COMPRESSION_ERROR, NGHTTP2_FRAME_SIZE_ERROR } = constants

const MALFORMED: ReadonlySet<number> = new Set([
  NGHTTP2_PROTOCOL_ERROR,
  NGHTTP2_COMPRESSION_ERROR,
  NGHTTP2_FRAME_SIZE_ERROR,
])

/** One call on one HTTP/2 stream. */
export class StreamCall implements DispatchController, UploadTarget {
  readonly version = 'HTTP/2'
  readonly isSelfConnection: boolean
  readonly #call: Call
  readonly #owner: StreamOwner
  #stream: ClientHttp2Stream | null = null
  #upload: Upload | null = null
  #requestTrailers: readonly string[] = []
  #trailers: readonly string[] = []
  #isPaused = false
  #ended = false
  #hasResponse = false
  /** Whether END_STREAM was received. */
  #isComplete = false
  #hasContent = true
  #streamError: Error | null = null
  /** Bytes of Content-Length that have not been received. */
  #missing = 0

  constructor(call: Call, owner: StreamOwner) {
    this.#call = call
    this.#owner = owner
    this.isSelfConnection = owner.isSelfConnection
  }

  /** Sends the head. False where the call failed as it began: there is no stream then, nor a call of `streamEnded`. */
  open(origin: URL, request: OutboundRequest, isReused: boolean): boolean {
    const { method, bytes, stream: body } = request
    this.#hasContent = method !== 'HEAD'
    try {
      this.#call.begin(this, isReused)
      this.#stream = this.#owner.session.request(streamFields(origin, request), {
        endStream: bytes === null && body === null,
        waitForTrailers: body !== null,
      })
    } catch (error) {
      // Node throws for fields that are invalid in HTTP/2 before it sends the head.
      this.#call.failed(error instanceof UpstreamError ? error : new UpstreamError('GW_UPSTREAM_REQUEST', error))
      return false
    }
    return true
  }

  /** Sends the body, and receives the response; the stream may end before this returns. */
  start({ bytes, stream: body }: OutboundRequest): void {
    const stream = this.#stream!
    this.#listen(stream)
    if (body !== null) this.#startUpload(stream, body)
    else if (bytes !== null) stream.end(bytes)
  }

  abort(reason: Error): void {
    // The whole connection may be unresponsive: it gets no further streams.
    const isTimeout = reason instanceof UpstreamError && reason.code === 'GW_UPSTREAM_TIMEOUT'
    this.#fail(reason, isTimeout ? 'unresponsive' : this.#ownOutcome)
  }

  pause(): void {
    this.#isPaused = true
    this.#stream?.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#stream?.resume()
  }

  writeBody(chunk: Uint8Array): boolean {
    const stream = this.#stream!
    return stream.destroyed || stream.write(chunk)
  }

  endBody(trailers: readonly string[]): void {
    this.#requestTrailers = trailers
    this.#stream!.end()
  }

  failBody(error: Error): void {
    this.#fail(error, this.#ownOutcome)
  }

  /** The outcome of a stream that ends from our side. */
  get #ownOutcome(): StreamOutcome {
    return this.#hasResponse ? 'normal' : 'unanswered'
  }

  #listen(stream: ClientHttp2Stream): void {
    stream.on('headers', ({ ':status': status = 0 }, _flags, raw) => this.#onInformational(status, raw))
    stream.on('response', ({ ':status': status = 0 }, flags, raw) => this.#onResponse(stream, status, flags, raw))
    stream.on('trailers', (_fields, _flags, raw) => {
      this.#trailers = withoutPseudoFields(raw)
    })
    watchEndStream(stream, () => {
      this.#isComplete = true
    })
    stream.on('end', () => this.#onEnd(stream))
    stream.on('error', (error) => {
      this.#streamError ??= error
    })
    stream.on('close', () => this.#onClose(stream))
  }

  #onInformational(status: number, raw: string[]): void {
    if (this.#ended) return
    this.#hasResponse = true
    this.#call.received()
    this.#guarded(() => this.#call.interim(status, withoutPseudoFields(raw)))
  }

  #onResponse(stream: ClientHttp2Stream, status: number, flags: number, raw: string[]): void {
    if (this.#ended) return
    this.#hasResponse = true
    const fields = withoutPseudoFields(raw)
    let length = announcedLength(fields)
    if (this.#hasContent && status !== 204 && status !== 304) {
      this.#missing = length ?? 0
      // A head that ends its stream, as of errors in gRPC: the body is known to be empty.
      if ((flags & NGHTTP2_FLAG_END_STREAM) !== 0) length ??= 0
    }
    this.#call.received()
    // HTTP/2 has no reason phrase; HTTP/1.1 clients get the standard one.
    this.#guarded(() => {
      this.#call.head(status, reasonPhrase(status), fields, length)
      this.#call.parsed()
    })
    stream.on('data', (chunk: Buffer) => {
      this.#missing -= chunk.length
      if (this.#ended) return
      this.#call.received()
      this.#guarded(() => this.#call.data(chunk))
    })
    if (this.#isPaused) stream.pause()
  }

  /** `end` is also emitted for a stream that was reset, even before its head, or is shorter than its Content-Length. */
  #onEnd(stream: ClientHttp2Stream): void {
    if (this.#ended || !this.#isComplete || stream.rstCode !== NGHTTP2_NO_ERROR || this.#missing > 0) return
    this.#finish('normal')
    this.#call.end(this.#trailers)
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
    if (isBeyond) return new BeyondGoawayError()
    if (code === NGHTTP2_REFUSED_STREAM || code === NGHTTP2_HTTP_1_1_REQUIRED) {
      return closed('HTTP/2: the server did not process the request', 'GW_UNPROCESSED')
    }
    if (MALFORMED.has(code)) return new UpstreamError('GW_UPSTREAM_PROTOCOL', this.#streamError)
    const cause = code === NGHTTP2_CANCEL ? new StreamCancelledError() : this.#streamError
    return closed(`HTTP/2: the stream was closed with code ${code}`, 'GW_UPSTREAM_CLOSED', cause)
  }

  /** A call that throws fails. */
  #guarded(deliver: () => void): void {
    try {
      deliver()
    } catch (error) {
      this.#fail(error as Error, 'normal')
    }
  }

  #startUpload(stream: ClientHttp2Stream, body: Body): void {
    const upload = new Upload(body, this.#call, this)
    this.#upload = upload
    stream.on('drain', () => upload.resume())
    stream.on('wantTrailers', () => stream.sendTrailers(trailerFields(this.#requestTrailers)))
    upload.start()
  }

  #fail(error: Error, outcome: StreamOutcome): void {
    if (this.#ended) return
    this.#finish(outcome)
    if (this.#stream !== null && !this.#stream.closed) this.#stream.close(NGHTTP2_CANCEL)
    this.#call.failed(error)
  }

  #finish(outcome: StreamOutcome): void {
    this.#ended = true
    this.#upload?.cancel()
    this.#owner.streamEnded(outcome)
  }
}

/**
 * Node ends the body of a stream that its server resets with NO_ERROR as it does for END_STREAM, which is a truncation
 * (threats B27). Only the reset closes the stream before it ends the body.
 */
function watchEndStream(stream: ClientHttp2Stream, onEndStream: () => void): void {
  const push = stream.push.bind(stream)
  stream.push = (chunk, encoding) => {
    if (chunk === null && !stream.closed) onEndStream()
    return push(chunk, encoding)
  }
}

function closed(message: string, code: string, cause?: unknown): Error {
  return Object.assign(new Error(message, cause === undefined ? undefined : { cause }), { code })
}
