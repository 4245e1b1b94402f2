import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2'
import type { Dispatcher } from 'undici'
import { reasonPhrase } from '#http'
import { RequestBody } from '../request-body.ts'
import type { UpstreamCall } from '../upstream-call.ts'
import { UpstreamError } from '../upstream-error.ts'
import { announcedLength, streamFields, withoutPseudoFields } from './fields.ts'

/** What a stream tells the connection it is on. */
export interface StreamOwner {
  readonly session: ClientHttp2Session
  /** The last stream that the peer says it will answer; null as long as it takes all. */
  readonly lastStream: number | null
  streamOver(lesson: Lesson): void
}

/** What the end of a stream says about its connection: nothing, that the peer may be gone, or that it wants HTTP/1.1. */
export type Lesson = 'none' | 'silent' | 'http1'

const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR, NGHTTP2_PROTOCOL_ERROR, NGHTTP2_REFUSED_STREAM } = constants
const { NGHTTP2_HTTP_1_1_REQUIRED, NGHTTP2_COMPRESSION_ERROR, NGHTTP2_FRAME_SIZE_ERROR } = constants

const MALFORMED: ReadonlySet<number> = new Set([
  NGHTTP2_PROTOCOL_ERROR,
  NGHTTP2_COMPRESSION_ERROR,
  NGHTTP2_FRAME_SIZE_ERROR,
])

/** One call on one HTTP/2 stream, told in the words that undici uses for HTTP/1.1. */
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
  #over = false
  #hasContent = true
  #trouble: Error | null = null
  /** Bytes of the announced length that have not come. */
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
      // Node refuses fields that HTTP/2 can not carry before anything is sent.
      const fit = error instanceof UpstreamError ? error : new UpstreamError('GW_UPSTREAM_REQUEST', error)
      this.#finish('none')
      this.#call.onResponseError(this, fit)
      return
    }
    this.#listen(this.#stream)
    if (body instanceof RequestBody) this.#upload(this.#stream, body)
    else if (body !== null) this.#stream.end(body)
  }

  abort(reason: Error): void {
    if (this.#over) return
    this.aborted = true
    this.reason = reason
    // A silent stream may be one of a silent connection, which should take no others.
    const isSilence = reason instanceof UpstreamError && reason.code === 'GW_UPSTREAM_TIMEOUT'
    this.#fail(reason, isSilence ? 'silent' : 'none')
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
    stream.on('headers', ({ ':status': status = 0 }, _flags, raw) => this.#interim(status, raw))
    stream.on('response', ({ ':status': status = 0 }, _flags, raw) => this.#answered(stream, status, raw))
    stream.on('trailers', (_fields, _flags, raw) => {
      this.rawTrailers = withoutPseudoFields(raw)
    })
    stream.on('end', () => this.#ended(stream))
    stream.on('error', (error) => {
      this.#trouble ??= error
    })
    stream.on('close', () => this.#closed(stream))
  }

  #interim(status: number, raw: string[]): void {
    if (this.#over || status === 100) return
    this.rawHeaders = withoutPseudoFields(raw)
    this.#guarded(() => this.#call.onResponseStart(this, status, null))
  }

  #answered(stream: ClientHttp2Stream, status: number, raw: string[]): void {
    if (this.#over) return
    this.rawHeaders = withoutPseudoFields(raw)
    if (this.#hasContent && status !== 304) this.#missing = announcedLength(this.rawHeaders)
    this.#call.onResponseStarted()
    // HTTP/2 has no reason phrases; a client of HTTP/1.1 reads one all the same.
    this.#guarded(() => this.#call.onResponseStart(this, status, null, reasonPhrase(status)))
    stream.on('data', (chunk: Buffer) => {
      this.#missing -= chunk.length
      if (!this.#over) this.#guarded(() => this.#call.onResponseData(this, chunk))
    })
    if (this.paused) stream.pause()
  }

  /** A stream that is reset ends too, with a code; without one, the length that was announced tells. */
  #ended(stream: ClientHttp2Stream): void {
    if (this.#over || stream.rstCode !== NGHTTP2_NO_ERROR || this.#missing > 0) return
    this.#finish('none')
    this.#call.onResponseEnd(this)
    // RFC 9113 section 8.1: an answer that does not need the rest of the request.
    if (!stream.writableEnded) stream.close(NGHTTP2_NO_ERROR)
  }

  #closed(stream: ClientHttp2Stream): void {
    if (this.#over) return
    const code = stream.rstCode ?? NGHTTP2_NO_ERROR
    this.#fail(this.#problem(stream, code), code === NGHTTP2_HTTP_1_1_REQUIRED ? 'http1' : 'none')
  }

  #problem(stream: ClientHttp2Stream, code: number): Error {
    const { lastStream } = this.#owner
    const isBeyond = lastStream !== null && (stream.id === undefined || stream.id > lastStream)
    if (code === NGHTTP2_REFUSED_STREAM || code === NGHTTP2_HTTP_1_1_REQUIRED || isBeyond) {
      return closed('HTTP/2: the server has not begun to work on the request', 'GW_UNPROCESSED')
    }
    if (MALFORMED.has(code)) return new UpstreamError('GW_UPSTREAM_PROTOCOL', this.#trouble)
    return closed(`HTTP/2: the stream was closed with code ${code}`, 'UND_ERR_SOCKET', this.#trouble)
  }

  /** What undici does with a handler that throws. */
  #guarded(deliver: () => void): void {
    try {
      deliver()
    } catch (error) {
      this.#fail(error as Error, 'none')
    }
  }

  #upload(stream: ClientHttp2Stream, body: RequestBody): void {
    this.#body = body
    body.on('data', (chunk: Uint8Array) => {
      if (!stream.destroyed && !stream.write(chunk)) body.pause()
    })
    body.on('end', () => stream.end())
    body.on('error', (error: Error) => this.#fail(error, 'none'))
    stream.on('drain', () => body.resume())
    stream.on('wantTrailers', () => stream.sendTrailers(body.trailerFields()))
    body.resume()
  }

  #fail(error: Error, lesson: Lesson): void {
    if (this.#over) return
    this.#finish(lesson)
    if (this.#stream !== null && !this.#stream.closed) this.#stream.close(NGHTTP2_CANCEL)
    this.#call.onResponseError(this, error)
  }

  #finish(lesson: Lesson): void {
    this.#over = true
    this.#body?.destroy()
    this.#owner.streamOver(lesson)
  }
}

function closed(message: string, code: string, cause?: unknown): Error {
  return Object.assign(new Error(message, cause === undefined ? undefined : { cause }), { code })
}
