import { BACKSLASH, CR, DQUOTE, EQUALS, HEX_VALUES, LF, SEMICOLON, TEXT_OCTETS, TOKEN_OCTETS } from './octets.ts'
import { Http1SyntaxError, overLimit, unexpectedByte } from './syntax-error.ts'

const MAX_SIZE_DIGITS = 16
/** Bytes of extensions (threats B24). */
export const MAX_EXTENSION_BYTES = 16_384

const SIZE_START = 0
const SIZE = 1
const NAME_START = 2
const NAME = 3
const VALUE_START = 4
const VALUE = 5
const QUOTED = 6
const ESCAPED = 7
const AFTER_QUOTED = 8
const AT_LF = 9

/**
 * Incremental scanner of a chunk size and its extensions (RFC 9112 section 7.1), which are checked and ignored. Optional
 * whitespace of obsolete senders is rejected.
 */
export class ChunkLine {
  size = 0
  /** Bytes of extensions in this line. */
  extensionBytes = 0
  #maxExtensionBytes = 0
  #state = SIZE_START
  #digits = 0

  begin(maxExtensionBytes: number): void {
    this.size = 0
    this.extensionBytes = 0
    this.#maxExtensionBytes = maxExtensionBytes
    this.#state = SIZE_START
    this.#digits = 0
  }

  /** Scans `chunk` from `from` on; returns the position after the line, or -1 where it is not complete. */
  scan(chunk: Buffer, from: number, base: number): number {
    let i = this.#state <= SIZE ? this.#scanSize(chunk, from, base) : from
    for (; i < chunk.length; i++) {
      const octet = chunk[i]!
      if (this.#state === AT_LF) {
        if (octet !== LF) throw unexpectedByte('chunk size', 'LF after CR', octet, base + i)
        return i + 1
      }
      const next = octet === CR ? endOf(this.#state) : nextState(this.#state, octet)
      if (next < 0) throw unexpectedByte('chunk size', EXPECTED[this.#state]!, octet, base + i)
      if (next !== AT_LF && ++this.extensionBytes > this.#maxExtensionBytes)
        throw overLimit('chunk size', `${MAX_EXTENSION_BYTES} bytes of extensions`, base + i)
      this.#state = next
    }
    return -1
  }

  #scanSize(chunk: Buffer, from: number, base: number): number {
    let i = from
    for (; i < chunk.length; i++) {
      const value = HEX_VALUES[chunk[i]!]!
      if (value > 15) break
      const size = this.size * 16 + value
      if (++this.#digits > MAX_SIZE_DIGITS || size > Number.MAX_SAFE_INTEGER)
        throw new Http1SyntaxError('chunk size', `at most ${Number.MAX_SAFE_INTEGER}`, 'more', base + i)
      this.size = size
      this.#state = SIZE
    }
    return i
  }
}

const EXPECTED: Readonly<Record<number, string>> = {
  [SIZE_START]: 'a hexadecimal digit',
  [SIZE]: 'a hexadecimal digit, a semicolon or CR LF',
  [NAME_START]: 'the name of an extension',
  [NAME]: 'the name of an extension',
  [VALUE_START]: 'the value of an extension',
  [VALUE]: 'the value of an extension',
  [QUOTED]: 'the end of a quoted value',
  [ESCAPED]: 'the end of a quoted value',
  [AFTER_QUOTED]: 'a semicolon or CR LF',
}

/** The state after CR; -1 where the line can not end. */
function endOf(state: number): number {
  return state === SIZE || state === NAME || state === VALUE || state === AFTER_QUOTED ? AT_LF : -1
}

/** The state after an octet of an extension; -1 where it is invalid. */
function nextState(state: number, octet: number): number {
  if (state === QUOTED) {
    if (octet === DQUOTE) return AFTER_QUOTED
    if (octet === BACKSLASH) return ESCAPED
    return TEXT_OCTETS[octet] === 1 ? QUOTED : -1
  }
  if (state === ESCAPED) return TEXT_OCTETS[octet] === 1 ? QUOTED : -1
  if (octet === SEMICOLON) return endOf(state) === AT_LF ? NAME_START : -1
  if (octet === EQUALS) return state === NAME ? VALUE_START : -1
  if (octet === DQUOTE) return state === VALUE_START ? QUOTED : -1
  if (TOKEN_OCTETS[octet] !== 1) return -1
  if (state === NAME_START || state === NAME) return NAME
  return state === VALUE_START || state === VALUE ? VALUE : -1
}
