import { COLON, CR, HTAB, LF, SP, TEXT_OCTETS, TOKEN_OCTETS } from './octets.ts'
import { PartialText } from './partial-text.ts'
import { type Http1SyntaxError, overLimit, unexpectedByte } from './syntax-error.ts'

/** Spec gap response-limits: as many in a response as the listener accepts in a request. */
export const MAX_FIELDS = 1_000

const LINE_START = 0
const NAME = 1
const BEFORE_VALUE = 2
const VALUE = 3
const LINE_LF = 4
const SECTION_LF = 5

/**
 * Start and end of each name and value in the scanned chunk, so that the chunk is decoded by one call. One array for
 * all sections: no event is delivered during a scan.
 */
const MARKS = new Int32Array(4 * MAX_FIELDS)

/**
 * Incremental scanner of the field lines of a head or of trailers, and of the empty line after them (RFC 9112 section 5).
 * Each byte is checked once, when it is received. Values are without the whitespace around them; line folding, a bare CR or
 * LF, whitespace before the colon and control characters are rejected.
 */
export class FieldSection {
  /** Name, value, name, value, ..., as received, in Latin-1. */
  fields: string[] = []
  /** Whether a tab after a value was removed, which some parsers take for a part of it. */
  hasTrailingTab = false
  readonly #part: string
  #left = 0
  #state = LINE_START
  /** Of a name or a value. */
  readonly #partial = new PartialText()

  constructor(part: string) {
    this.#part = part
  }

  begin(maxBytes: number): void {
    this.fields = []
    this.hasTrailingTab = false
    this.#left = maxBytes
    this.#state = LINE_START
    this.#partial.clear()
  }

  /** Scans `chunk` from `from` on; returns the position after the section, or -1 where it is not complete. */
  scan(chunk: Buffer, from: number, base: number): number {
    const limit = Math.min(chunk.length, from + this.#left)
    const maxMarks = 4 * MAX_FIELDS - 2 * this.fields.length
    let state = this.#state
    let i = from
    let start = from
    let marks = 0
    for (;;) {
      if (state === LINE_START) {
        if (i === limit) break
        start = i
        if (TOKEN_OCTETS[chunk[i]!] === 1) {
          if (marks === maxMarks) throw this.#tooLarge(`${MAX_FIELDS} fields`, base + i)
          state = NAME
        } else if (chunk[i] === CR) {
          i++
          state = SECTION_LF
        } else throw this.#notName(chunk[i]!, base + i)
      }
      if (state === NAME) {
        while (i < limit && TOKEN_OCTETS[chunk[i]!] === 1) i++
        if (i === limit) break
        if (chunk[i] !== COLON) throw unexpectedByte(this.#part, 'a colon after the field name', chunk[i]!, base + i)
        MARKS[marks++] = start
        MARKS[marks++] = i++
        state = BEFORE_VALUE
      }
      if (state === BEFORE_VALUE) {
        while (i < limit && (chunk[i] === SP || chunk[i] === HTAB)) i++
        start = i
        if (i === limit) break
        state = VALUE
      }
      if (state === VALUE) {
        while (i < limit && TEXT_OCTETS[chunk[i]!] === 1) i++
        if (i === limit) break
        if (chunk[i] !== CR) throw unexpectedByte(this.#part, 'a field value and CR LF', chunk[i]!, base + i)
        let end = i++
        for (; end > start && isSpace(chunk[end - 1]!); end--) this.hasTrailingTab ||= chunk[end - 1] === HTAB
        MARKS[marks++] = start
        MARKS[marks++] = end
        state = LINE_LF
      }
      if (i === limit) break
      if (chunk[i] !== LF) throw unexpectedByte(this.#part, 'LF after CR', chunk[i]!, base + i)
      i++
      if (state === SECTION_LF) {
        this.#decode(chunk, marks)
        return i
      }
      state = LINE_START
    }
    if (i < chunk.length) throw this.#tooLarge('its limit of bytes', base + i)
    this.#left -= i - from
    this.#state = state
    this.#decode(chunk, marks)
    if (state === NAME || state === VALUE) this.#partial.append(chunk, start, i)
    return -1
  }

  #decode(chunk: Buffer, marks: number): void {
    if (marks === 0) return
    const { fields } = this
    const offset = MARKS[0]!
    const text = chunk.toString('latin1', offset, MARKS[marks - 1]!)
    let at = 0
    if (!this.#partial.isEmpty) {
      const token = this.#partial.take() + text.slice(0, MARKS[1]! - offset)
      fields.push(fields.length % 2 === 0 ? token : this.#withoutTrailingSpace(token))
      at = 2
    }
    for (; at < marks; at += 2) fields[fields.length] = text.slice(MARKS[at]! - offset, MARKS[at + 1]! - offset)
  }

  /** `String.prototype.trimEnd` would remove U+00A0 too. */
  #withoutTrailingSpace(text: string): string {
    let end = text.length
    for (; end > 0 && isSpace(text.charCodeAt(end - 1)); end--)
      this.hasTrailingTab ||= text.charCodeAt(end - 1) === HTAB
    return text.slice(0, end)
  }

  #notName(octet: number, offset: number): Http1SyntaxError {
    const isFold = octet === SP || octet === HTAB
    const expected = isFold ? 'a field name (lines are not folded)' : 'a field name or an empty line'
    return unexpectedByte(this.#part, expected, octet, offset)
  }

  #tooLarge(limit: string, offset: number): Http1SyntaxError {
    return overLimit(this.#part, limit, offset)
  }
}

function isSpace(code: number): boolean {
  return code === SP || code === HTAB
}
