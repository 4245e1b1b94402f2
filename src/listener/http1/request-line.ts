import {
  CR,
  Http1SyntaxError,
  LF,
  overLimit,
  PartialText,
  SP,
  TARGET_OCTETS,
  TOKEN_OCTETS,
  unexpectedByte,
} from '#http1'
import { isKnownMethod, isMethod, MAX_METHOD } from '../method.ts'

/** A well-formed request line with a method that is not known. */
export class UnknownMethodError extends Error {
  override readonly name = 'UnknownMethodError'
}

const METHOD = 0
const TARGET = 1
const VERSION = 2
const END = 3
const AT_LF = 4

const PART = 'request line'
const VERSION_PREFIX = Buffer.from('HTTP/')
const MAJOR_AT = 5
const DOT_AT = 6
const VERSION_LENGTH = 8
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39

/** Versions that are parsed: those other than 1.x are refused with 505 after the head, any other with 400. */
const VERSIONS: ReadonlySet<string> = new Set(['1.1', '1.0', '2.0', '0.9'])

/**
 * Incremental scanner of a request line (RFC 9112 section 3): a token in capitals, one space, visible characters, one space,
 * `HTTP/` with two digits, CR LF. A line without version is one of HTTP/0.9.
 */
export class RequestLine {
  method = ''
  /** As received, in ASCII. */
  target = ''
  version = ''
  #state = METHOD
  #left = 0
  #versionAt = 0
  readonly #partial = new PartialText()

  begin(maxBytes: number): void {
    this.#state = METHOD
    this.#left = maxBytes
    this.#versionAt = 0
    this.#partial.clear()
  }

  /** Bytes of the limit that are left for the fields. */
  get left(): number {
    return this.#left
  }

  /** Scans `chunk` from `from` on; returns the position after the line, or -1 where it is not complete. */
  scan(chunk: Buffer, from: number): number {
    const limit = Math.min(chunk.length, from + this.#left)
    let start = from
    let i = from
    if (this.#state === METHOD) {
      while (i < limit && TOKEN_OCTETS[chunk[i]!] === 1) i++
      if (this.#partial.length + i - start > MAX_METHOD)
        throw new Http1SyntaxError(PART, `a method of ${MAX_METHOD} letters`, 'more', i)
      if (i === limit) return this.#pause(chunk, from, start, i)
      if (chunk[i] !== SP) throw unexpectedByte(PART, 'a method and a space', chunk[i]!, i)
      this.method = this.#takeMethod(chunk, start, i)
      if (!isMethod(this.method)) throw new Http1SyntaxError(PART, 'a method', 'another token', i)
      start = ++i
      this.#state = TARGET
    }
    if (this.#state === TARGET) {
      while (i < limit && TARGET_OCTETS[chunk[i]!] === 1) i++
      if (i === limit) return this.#pause(chunk, from, start, i)
      if (chunk[i] !== SP && chunk[i] !== CR) throw unexpectedByte(PART, 'a target and a space', chunk[i]!, i)
      this.target = this.#take(chunk, start, i)
      if (this.target === '') throw unexpectedByte(PART, 'a target', chunk[i]!, i)
      this.version = ''
      if (chunk[i] === CR) this.version = '0.9'
      this.#state = chunk[i] === CR ? AT_LF : VERSION
      i++
    }
    if (this.#state === VERSION) i = this.#scanVersion(chunk, i, limit)
    if (i === limit) return this.#pause(chunk, from, i, i)
    if (this.#state === END) {
      if (chunk[i] !== CR) throw unexpectedByte(PART, 'CR LF after the version', chunk[i]!, i)
      this.#state = AT_LF
      if (++i === limit) return this.#pause(chunk, from, i, i)
    }
    if (chunk[i] !== LF) throw unexpectedByte(PART, 'LF after CR', chunk[i]!, i)
    this.#left -= ++i - from
    this.#check(i)
    return i
  }

  #scanVersion(chunk: Buffer, from: number, limit: number): number {
    let i = from
    for (; i < limit && this.#versionAt < VERSION_LENGTH; i++, this.#versionAt++) {
      const octet = chunk[i]!
      const at = this.#versionAt
      const isExpected =
        at < MAJOR_AT ? octet === VERSION_PREFIX[at] : at === DOT_AT ? octet === DOT : octet >= ZERO && octet <= NINE
      if (!isExpected) throw unexpectedByte(PART, 'HTTP/1.1', octet, i)
      if (at >= MAJOR_AT) this.version += String.fromCharCode(octet)
    }
    if (this.#versionAt === VERSION_LENGTH) this.#state = END
    return i
  }

  #check(at: number): void {
    const { method, version } = this
    if (!VERSIONS.has(version)) throw new Http1SyntaxError(PART, 'HTTP/1.1', 'another version', at)
    if (isKnownMethod(method)) return
    const isHttp1 = version === '1.1' || version === '1.0'
    // The method of the preface of HTTP/2, which stands at the start of a connection only.
    if (!isHttp1 || method === 'PRI') throw new Http1SyntaxError(PART, 'a known method', 'another one', at)
    throw new UnknownMethodError(`the method ${method}`)
  }

  /** Retains the part of the method or target that was scanned. */
  #pause(chunk: Buffer, from: number, start: number, i: number): number {
    if (i < chunk.length) throw overLimit(PART, 'its limit of bytes', i)
    this.#left -= i - from
    if (i > start) this.#partial.append(chunk, start, i)
    return -1
  }

  #takeMethod(chunk: Buffer, start: number, end: number): string {
    // The most frequent method is not allocated again.
    const isGet = end - start === 3 && this.#partial.isEmpty && chunk.readUIntBE(start, 3) === 0x47_45_54
    return isGet ? 'GET' : this.#take(chunk, start, end)
  }

  #take(chunk: Buffer, start: number, end: number): string {
    if (this.#partial.isEmpty) return chunk.toString('latin1', start, end)
    if (end > start) this.#partial.append(chunk, start, end)
    return this.#partial.take()
  }
}
