import {
  ChunkLine,
  CR,
  FieldSection,
  Http1SyntaxError,
  LF,
  MAX_EXTENSION_BYTES,
  overLimit,
  unexpectedByte,
} from '#http1'
import { RequestLine } from './request-line.ts'

/** Receiver of a request body. */
export interface BodyEvents {
  /** A piece of the body: a view of the received buffer, never empty. False stops the parser after it. */
  onBodyData(piece: Buffer): boolean
  /** All pieces were delivered. */
  onBodyEnd(trailers: readonly string[]): void
}

const START = 0
const START_LF = 1
const LINE = 2
const FIELDS = 3
const HEAD = 4
const BODY = 5
const CHUNK_LINE = 6
const CHUNK_DATA = 7
const CHUNK_CR = 8
const CHUNK_LF = 9
const TRAILERS = 10
const COMPLETE = 11

/** Data of chunks below this size is moved to that of the chunk before it: each piece costs many times its bytes on its way. */
const SMALL_CHUNK = 1024

/**
 * Strict incremental parser of HTTP/1.1 requests (RFC 9112), one for each connection. Each byte is examined once, and
 * nothing but an incomplete line is retained between buffers. The caller decides about the body, and parses the next head when it wants it.
 *
 * ```
 *   START --> LINE --> FIELDS --> HEAD -- beginBody --> BODY --------------------------------------------+
 *    ^ CR LF           (complete)  |  |                                                                 |
 *    +----------- begin -----------+  +--> CHUNK_LINE --> CHUNK_DATA --> CHUNK_CR --> CHUNK_LF --+       |
 *    |                                       |   ^-----------------------------------------------+       |
 *    |                                       +--> TRAILERS (size 0)                                      |
 *    +------------------- onBodyEnd ---------------+----------------------------------------------------+
 * ```
 */
export class RequestParser {
  readonly line = new RequestLine()
  readonly #maxHeadBytes: number
  readonly #events: BodyEvents
  readonly #fields = new FieldSection('request head')
  readonly #trailers = new FieldSection('trailers')
  readonly #chunkLine = new ChunkLine()
  #state = START
  /** Bytes of empty lines before the request. */
  #skipped = 0
  /** Bytes of the body, or of its chunk, that are still to be received. */
  #left = 0
  /** Bytes of chunk extensions that the message may still have (threats B24). */
  #extensionsLeft = 0

  constructor(maxHeadBytes: number, events: BodyEvents) {
    this.#maxHeadBytes = maxHeadBytes
    this.#events = events
  }

  /** Whether a part of a head was received. */
  get hasPartOfHead(): boolean {
    return this.#state === LINE || this.#state === FIELDS
  }

  /** Whether the head is complete, and its body not begun. */
  get hasHead(): boolean {
    return this.#state === HEAD
  }

  /** Of the complete head: name, value, name, value, ..., in Latin-1. */
  get fields(): readonly string[] {
    return this.#fields.fields
  }

  /** Whether the message is complete. */
  get isComplete(): boolean {
    return this.#state === COMPLETE
  }

  /** Expects the next request. */
  begin(): void {
    this.#state = START
    this.#skipped = 0
  }

  /** Expects a body: its length, or -1 for chunks. */
  beginBody(length: number): void {
    this.#left = length
    this.#state = length < 0 ? CHUNK_LINE : BODY
    if (length >= 0) return
    this.#extensionsLeft = MAX_EXTENSION_BYTES
    this.#chunkLine.begin(MAX_EXTENSION_BYTES)
  }

  /** Parses a part of a head; returns the position after it. Throws Http1SyntaxError or UnknownMethodError. */
  parseHead(chunk: Buffer, from: number): number {
    let at = from
    if (this.#state <= START_LF) at = this.#skipEmptyLines(chunk, at)
    if (this.#state === LINE && at < chunk.length) {
      at = this.line.scan(chunk, at)
      if (at < 0) return chunk.length
      this.#fields.begin(this.line.left)
      this.#state = FIELDS
    }
    if (this.#state === FIELDS && at < chunk.length) {
      at = this.#fields.scan(chunk, at, 0)
      if (at < 0) return chunk.length
      if (this.#fields.hasTrailingTab) checkCodings(this.#fields.fields, at)
      this.#state = HEAD
    }
    return at
  }

  /** RFC 9112 section 2.2: empty lines before a request are ignored. */
  #skipEmptyLines(chunk: Buffer, from: number): number {
    let at = from
    for (; at < chunk.length; at++) {
      const octet = chunk[at]!
      if (this.#state === START_LF) {
        if (octet !== LF) throw unexpectedByte('request', 'LF after CR', octet, at)
        this.#state = START
      } else if (octet === CR) {
        this.#state = START_LF
        this.#skipped += 2
        if (this.#skipped > this.#maxHeadBytes) throw overLimit('request', 'its limit of empty lines', at)
      } else {
        this.#state = LINE
        this.line.begin(this.#maxHeadBytes)
        return at
      }
    }
    return at
  }

  /** Parses a part of the body; returns the position after it. Throws Http1SyntaxError. */
  parseBody(chunk: Buffer, from: number): number {
    return this.#state === BODY ? this.#parseSized(chunk, from) : this.#parseChunked(chunk, from)
  }

  #parseSized(chunk: Buffer, from: number): number {
    const end = Math.min(chunk.length, from + this.#left)
    this.#left -= end - from
    if (end > from) this.#events.onBodyData(viewOf(chunk, from, end))
    if (this.#left === 0) this.#complete([])
    return end
  }

  #parseChunked(chunk: Buffer, from: number): number {
    const { length } = chunk
    let at = from
    // Data of chunks that is not delivered yet: data of small ones is moved towards it within the buffer, over their framing.
    let start = 0
    let end = 0
    while (at < length) {
      switch (this.#state) {
        case CHUNK_LINE: {
          const next = this.#chunkLine.scan(chunk, at, 0)
          if (next < 0) {
            at = length
            break
          }
          at = next
          this.#endChunkLine()
          break
        }
        case CHUNK_DATA: {
          const stop = Math.min(length, at + this.#left)
          if (end > start && stop - at < SMALL_CHUNK) {
            chunk.copyWithin(end, at, stop)
            end += stop - at
          } else {
            if (end > start && !this.#events.onBodyData(viewOf(chunk, start, end))) return at
            start = at
            end = stop
          }
          this.#left -= stop - at
          at = stop
          if (this.#left === 0) this.#state = CHUNK_CR
          break
        }
        case CHUNK_CR:
          if (chunk[at] !== CR) throw unexpectedByte('chunk', 'CR LF after its data', chunk[at]!, at)
          at++
          this.#state = CHUNK_LF
          break
        case CHUNK_LF:
          if (chunk[at] !== LF) throw unexpectedByte('chunk', 'CR LF after its data', chunk[at]!, at)
          at++
          this.#chunkLine.begin(this.#extensionsLeft)
          this.#state = CHUNK_LINE
          break
        default: {
          const next = this.#trailers.scan(chunk, at, 0)
          if (end > start) this.#events.onBodyData(viewOf(chunk, start, end))
          if (next < 0) return length
          checkTrailers(this.#trailers.fields, next)
          this.#complete(this.#trailers.fields)
          return next
        }
      }
    }
    if (end > start) this.#events.onBodyData(viewOf(chunk, start, end))
    return at
  }

  #endChunkLine(): void {
    this.#extensionsLeft -= this.#chunkLine.extensionBytes
    this.#left = this.#chunkLine.size
    this.#state = this.#left === 0 ? TRAILERS : CHUNK_DATA
    if (this.#left === 0) this.#trailers.begin(this.#maxHeadBytes)
  }

  #complete(trailers: readonly string[]): void {
    this.#state = COMPLETE
    this.#events.onBodyEnd(trailers)
  }
}

function viewOf(chunk: Buffer, from: number, end: number): Buffer {
  return from === 0 && end === chunk.length ? chunk : chunk.subarray(from, end)
}

/** Some parsers do not recognise `chunked` followed by a tab, and would find another end of the message (threats B23). */
function checkCodings(fields: readonly string[], offset: number): void {
  for (let i = 0; i < fields.length; i += 2) {
    if (fields[i]!.toLowerCase() === 'transfer-encoding')
      throw new Http1SyntaxError('request head', 'no tab beside Transfer-Encoding', 'one', offset)
  }
}

/** A server that reads framing fields in trailers would find another end of the message. */
function checkTrailers(fields: readonly string[], offset: number): void {
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i]!.toLowerCase()
    if (name === 'content-length' || name === 'transfer-encoding')
      throw new Http1SyntaxError('trailers', 'no framing fields', name, offset)
  }
}
