import { ChunkLine, CR, FieldSection, Http1SyntaxError, LF, MAX_EXTENSION_BYTES, unexpectedByte } from '#http1'
import { settleFraming } from './framing.ts'
import { CHUNKED, type ResponseHead, UNTIL_CLOSE } from './response-head.ts'
import { ResponseSyntaxError, ResponseTruncatedError } from './response-syntax-error.ts'
import { StatusLine } from './status-line.ts'

export type { ResponseHead } from './response-head.ts'

/** Receiver of one response after another. The methods may call `stop`, and `onComplete` also `expect`. */
export interface ResponseEvents {
  /** An informational response other than 101. */
  onInterim(status: number, reason: string, fields: string[]): void
  onHead(head: ResponseHead): void
  /** A piece of the body: a view of the received buffer, never empty. */
  onData(piece: Buffer): void
  /** The end of the response. `excess` bytes of the chunk follow it, and belong to no response: close the connection. */
  onComplete(trailers: string[], excess: number): void
}

const IDLE = 0
const STATUS_LINE = 1
const FIELDS = 2
const BODY = 3
const CHUNK_LINE = 4
const CHUNK_DATA = 5
const CHUNK_CR = 6
const CHUNK_LF = 7
const TRAILERS = 8
const BODY_UNTIL_CLOSE = 9
const STOPPED = 10

const MAX_INTERIM_RESPONSES = 32

/**
 * Strict incremental parser of HTTP/1.1 responses (RFC 9112), one for each connection. Each byte is examined once, and
 * nothing but an incomplete field is retained between chunks.
 *
 * ```
 *   IDLE -- expect --> STATUS_LINE --> FIELDS --+--> onInterim, STATUS_LINE      1xx
 *    ^                                          +--> onHead, IDLE                upgrade; the rest is the caller's
 *    |                                          +--> onHead, onComplete          without body
 *    |                                          +--> onHead, BODY                Content-Length
 *    |                                          +--> onHead, BODY_UNTIL_CLOSE
 *    |                                          +--> onHead, CHUNK_LINE --> CHUNK_DATA --> CHUNK_CR --> CHUNK_LF --+
 *    |                                                 |       ^---------------------------------------------------+
 *    +-- onComplete --- BODY, TRAILERS, finish         +--> TRAILERS             size 0
 *
 *   Any error, and stop: STOPPED. No event follows.
 * ```
 */
export class ResponseParser {
  readonly #maxHeadBytes: number
  readonly #events: ResponseEvents
  readonly #line = new StatusLine()
  readonly #head = new FieldSection('response head')
  readonly #trailers = new FieldSection('trailers')
  readonly #chunkLine = new ChunkLine()
  #state = IDLE
  #isHead = false
  #isConnect = false
  #allowsUpgrade = false
  #interims = 0
  /** Bytes of the response in earlier chunks. */
  #received = 0
  /** Bytes of the body, or of its chunk, that are still to be received. */
  #left = 0

  constructor(limits: { readonly maxHeadBytes: number }, events: ResponseEvents) {
    this.#maxHeadBytes = limits.maxHeadBytes
    this.#events = events
  }

  /** Whether any byte of a response was received that is not complete. */
  get started(): boolean {
    return this.#state !== IDLE && this.#received > 0
  }

  /** Called before the response is received: the method decides about its body. A 101 is an error unless allowed. */
  expect(method: string, allowUpgrade: boolean): void {
    if (this.#state !== IDLE) throw new Error('response parser: expected no response in progress, got one')
    this.#isHead = method === 'HEAD'
    this.#isConnect = method === 'CONNECT'
    this.#allowsUpgrade = allowUpgrade
    this.#interims = 0
    this.#received = 0
    this.#line.begin()
    this.#state = STATUS_LINE
  }

  /** No event is delivered from now on, and the parser can not be used any more. */
  stop(): void {
    this.#state = STOPPED
  }

  /**
   * Parses received bytes. Returns their number, or less after the end of a response or its upgrade, and where none is
   * expected: such bytes are not interpreted. Throws ResponseSyntaxError.
   */
  execute(chunk: Buffer): number {
    try {
      return this.#parse(chunk)
    } catch (error) {
      this.#state = STOPPED
      throw error instanceof Http1SyntaxError ? new ResponseSyntaxError(error) : error
    }
  }

  /** The peer has closed the connection. Completes a body without length; throws if the response is incomplete. */
  finish(): void {
    if (this.#state === IDLE || this.#state === STOPPED) return
    if (this.#state === BODY_UNTIL_CLOSE) {
      this.#state = IDLE
      this.#events.onComplete([], 0)
      return
    }
    const expected = this.#state <= FIELDS ? 'a head' : 'the rest of a body'
    this.#state = STOPPED
    throw new ResponseTruncatedError(expected, this.#received)
  }

  #parse(chunk: Buffer): number {
    const base = this.#received
    const { length } = chunk
    this.#received += length
    let at = 0
    while (at < length) {
      switch (this.#state) {
        case STATUS_LINE:
          at = this.#line.scan(chunk, at, base)
          if (at < 0) return length
          this.#head.begin(Math.max(0, this.#maxHeadBytes - this.#line.length))
          this.#state = FIELDS
          break
        case FIELDS:
          at = this.#head.scan(chunk, at, base)
          if (at < 0) return length
          if (this.#endHead(base + at)) return this.#complete([], chunk, at)
          break
        case BODY: {
          const end = Math.min(length, at + this.#left)
          this.#left -= end - at
          this.#deliver(chunk, at, end)
          at = end
          if (this.#isAtEnd()) return this.#complete([], chunk, at)
          break
        }
        case CHUNK_LINE:
          at = this.#chunkLine.scan(chunk, at, base)
          if (at < 0) return length
          this.#left = this.#chunkLine.size
          this.#state = this.#left === 0 ? TRAILERS : CHUNK_DATA
          if (this.#left === 0) this.#trailers.begin(this.#maxHeadBytes)
          break
        case CHUNK_DATA: {
          const end = Math.min(length, at + this.#left)
          this.#left -= end - at
          if (this.#left === 0) this.#state = CHUNK_CR
          this.#deliver(chunk, at, end)
          at = end
          break
        }
        case CHUNK_CR:
          if (chunk[at] !== CR) throw unexpectedByte('chunk', 'CR LF after its data', chunk[at]!, base + at)
          at++
          this.#state = CHUNK_LF
          break
        case CHUNK_LF:
          if (chunk[at] !== LF) throw unexpectedByte('chunk', 'CR LF after its data', chunk[at]!, base + at)
          at++
          this.#chunkLine.begin(MAX_EXTENSION_BYTES)
          this.#state = CHUNK_LINE
          break
        case TRAILERS:
          at = this.#trailers.scan(chunk, at, base)
          if (at < 0) return length
          return this.#complete(this.#trailers.fields, chunk, at)
        case BODY_UNTIL_CLOSE:
          this.#deliver(chunk, at, length)
          return length
        default:
          return at
      }
    }
    return at
  }

  #deliver(chunk: Buffer, from: number, end: number): void {
    this.#events.onData(from === 0 && end === chunk.length ? chunk : chunk.subarray(from, end))
  }

  /** Nothing is parsed after it in this chunk, even if the receiver expects another response. */
  #complete(trailers: string[], chunk: Buffer, at: number): number {
    this.#state = IDLE
    this.#events.onComplete(trailers, chunk.length - at)
    return at
  }

  /** False also where the receiver has stopped the parser. */
  #isAtEnd(): boolean {
    return this.#state === BODY && this.#left === 0
  }

  /** Delivers a head; returns whether the response is complete. */
  #endHead(offset: number): boolean {
    const { status, reason, minor } = this.#line
    const { fields } = this.#head
    const isUpgrade = status === 101 || (this.#isConnect && status >= 200 && status < 300)
    if (status < 200 && status !== 101) {
      if (++this.#interims > MAX_INTERIM_RESPONSES)
        throw new Http1SyntaxError('response', `at most ${MAX_INTERIM_RESPONSES} informational ones`, 'more', offset)
      this.#line.begin()
      this.#state = STATUS_LINE
      this.#events.onInterim(status, reason, fields)
      return false
    }
    if (status === 101 && !this.#allowsUpgrade)
      throw new Http1SyntaxError('response', 'a status that the request allows', '101', offset)
    const head = { status, reason, fields, minor, keepAlive: false, keepAliveHint: -1, length: 0, upgrade: isUpgrade }
    if (isUpgrade) {
      this.#state = IDLE
      this.#events.onHead(head)
      return false
    }
    settleFraming(head, this.#isHead || status === 204 || status === 304, offset)
    this.#left = Math.max(0, head.length)
    this.#state = bodyState(head.length)
    if (head.length === CHUNKED) this.#chunkLine.begin(MAX_EXTENSION_BYTES)
    this.#events.onHead(head)
    return this.#isAtEnd()
  }
}

function bodyState(length: number): number {
  if (length === CHUNKED) return CHUNK_LINE
  return length === UNTIL_CLOSE ? BODY_UNTIL_CLOSE : BODY
}
