import { type JsonObject, JsonSyntaxError, parseJson } from '#json'
import { MalformedResponse } from './malformed-response.ts'
import { objectOf } from './wire.ts'

const MAX_DEPTH = 16
const MAX_VALUES = 200_000

/** Memory that is not freed between objects. */
const SMALL = 65_536
const NOTHING = Buffer.alloc(0)

const [QUOTE, BACKSLASH, OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d]

/**
 * Splits a stream of JSON objects, with or without white space between them, into objects. Chunks may end anywhere. At most
 * `maxBytes` of an incomplete object are stored.
 */
export class WatchFrames {
  readonly #maxBytes: number
  /** The incomplete object, copied: chunks of one byte must not cost an object each. */
  #kept = NOTHING
  #length = 0
  #depth = 0
  #inText = false
  #escaped = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Whether the stream ends between objects. */
  get isComplete(): boolean {
    return this.#depth === 0
  }

  /** Calls back with each object that the chunk completes, until that returns false. Throws MalformedResponse. */
  push(chunk: Uint8Array, onFrame: (frame: JsonObject) => boolean): void {
    let start = this.#depth > 0 ? 0 : -1
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (this.#depth === 0) {
        if (isSpace(byte)) continue
        if (byte !== OPEN_OBJECT) throw new MalformedResponse('stream: expected a JSON object, got something else')
        start = at
        this.#depth = 1
        continue
      }
      if (!this.#closes(byte)) continue
      const frame = this.#complete(chunk.subarray(start, at + 1))
      start = -1
      if (!onFrame(frame)) return
    }
    if (start >= 0) this.#keep(chunk.subarray(start))
  }

  /** Whether the byte ends the object. That brackets match is checked by the parser of the whole object. */
  #closes(byte: number): boolean {
    if (this.#inText) {
      if (this.#escaped) this.#escaped = false
      else if (byte === BACKSLASH) this.#escaped = true
      else if (byte === QUOTE) this.#inText = false
      return false
    }
    if (byte === QUOTE) this.#inText = true
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#depth++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) return --this.#depth === 0
    return false
  }

  #complete(last: Uint8Array): JsonObject {
    if (this.#length === 0) {
      this.#checkLength(last.length)
      return jsonObjectIn(last)
    }
    this.#keep(last)
    const frame = jsonObjectIn(this.#kept.subarray(0, this.#length))
    this.#length = 0
    if (this.#kept.length > SMALL) this.#kept = NOTHING
    return frame
  }

  #keep(part: Uint8Array): void {
    const length = this.#length + part.length
    this.#checkLength(length)
    if (length > this.#kept.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#kept.length, 1_024))
      this.#kept.copy(larger, 0, 0, this.#length)
      this.#kept = larger
    }
    this.#kept.set(part, this.#length)
    this.#length = length
  }

  #checkLength(length: number): void {
    if (length > this.#maxBytes)
      throw new MalformedResponse(`stream: expected objects of at most ${this.#maxBytes} bytes, got a larger one`)
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/** Strict JSON of bounded depth and size. Throws MalformedResponse. */
export function jsonObjectIn(bytes: Uint8Array): JsonObject {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return objectOf(parseJson(text, { depth: MAX_DEPTH, values: MAX_VALUES }), 'response')
  } catch (error) {
    if (error instanceof MalformedResponse) throw error
    const reason = error instanceof JsonSyntaxError ? error.message : 'not UTF-8'
    throw new MalformedResponse(`response: expected a JSON object, got other bytes (${reason})`)
  }
}
