import { type JsonNumber, jsonNumber } from './number.ts'
import { DEFAULT_MAX_DEPTH, JsonSyntaxError, positionAt } from './parse.ts'
import { appendPointer } from './pointer.ts'
import { type JsonObject, type JsonValue, setOwn } from './value.ts'

/** Line and column from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Where a text has a value, as offsets. */
export interface SourceRange {
  /** Start of the member name for a member of an object, of the value otherwise. */
  readonly from: number
  /** End of the member name; `from` without one. */
  readonly keyEnd: number
  readonly start: number
  readonly end: number
}

/** A parsed configuration text, with the positions of its values. */
export class JsonDocument {
  readonly text: string
  readonly value: JsonValue
  #ranges: Map<string, SourceRange> | null = null

  constructor(text: string, value: JsonValue) {
    this.text = text
    this.value = value
  }

  /** The position of the value of a pointer, or of its nearest existing ancestor. */
  locate(pointer: string): Position {
    let nearest = pointer
    while (nearest !== '' && this.range(nearest) === null) nearest = nearest.slice(0, nearest.lastIndexOf('/'))
    return positionAt(this.text, this.range(nearest)?.from ?? 0)
  }

  /** Where the value of a pointer is; null where it does not exist. */
  range(pointer: string): SourceRange | null {
    this.#ranges ??= rangesOf(this.text)
    return this.#ranges.get(pointer) ?? null
  }
}

/**
 * Parses a configuration file: JSON with `//` and block comments, strings in single quotes or with raw control characters, and
 * commas after the last element, as files of OpenIG have them.
 */
export function readDocument(text: string): JsonDocument {
  return new JsonDocument(text, new Reader(text, true, null).document())
}

/** The position and reason of the first syntax error of a text that is strict JSON apart from comments; null without one. */
export function syntaxErrorIn(text: string): JsonSyntaxError | null {
  try {
    new Reader(text, false, null).document()
    return null
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error
    throw error
  }
}

/** Positions are needed only to report problems and to edit, so a second pass computes them. */
function rangesOf(text: string): Map<string, SourceRange> {
  const ranges = new Map<string, SourceRange>()
  new Reader(text, true, ranges).document()
  return ranges
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const ESCAPE = /\\(?:u(.{0,4})|(.))/gs
/** Parts of a relaxed string that JSON.parse does not accept, and escapes, which are skipped. */
const RELAXED = /\\[\s\S]|["\u0000-\u001f]/g

/** Skip patterns of strings and white space. For long runs a pattern is faster, for short ones a loop. */
const PLAIN = /[^"\\\u0000-\u001f]*/y
const BLANKS = /[ \n\r\t]*/y
const LITTLE = 64

const LITERALS: readonly (readonly [string, JsonValue])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

/** End of the match of a sticky pattern. */
function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  pattern.test(text)
  return pattern.lastIndex
}

/** The form that JSON.parse accepts. */
function strictPart(part: string): string {
  if (part === "\\'") return "'"
  return part.startsWith('\\') ? part : JSON.stringify(part).slice(1, -1)
}

class Reader {
  readonly #text: string
  readonly #isRelaxed: boolean
  readonly #ranges: Map<string, SourceRange> | null
  #at = 0

  constructor(text: string, isRelaxed: boolean, ranges: Map<string, SourceRange> | null) {
    this.#text = text
    this.#isRelaxed = isRelaxed
    this.#ranges = ranges
  }

  document(): JsonValue {
    if (this.#text.charCodeAt(0) === 0xfeff) this.#at = 1
    const value = this.#value('', 0)
    this.#skip()
    if (this.#at < this.#text.length) this.#fail(`expected the end of the document, got ${this.#found()}`)
    return value
  }

  #value(pointer: string, depth: number, key: Pick<SourceRange, 'from' | 'keyEnd'> | null = null): JsonValue {
    this.#skip()
    const start = this.#at
    const value = this.#read(pointer, depth)
    this.#ranges?.set(pointer, { from: start, keyEnd: start, ...key, start, end: this.#at })
    return value
  }

  #read(pointer: string, depth: number): JsonValue {
    const first = this.#text[this.#at]
    if (first === '{' || first === '[') {
      if (depth >= DEFAULT_MAX_DEPTH) this.#fail(`nested more than ${DEFAULT_MAX_DEPTH} levels deep`)
      return first === '{' ? this.#object(pointer, depth + 1) : this.#array(pointer, depth + 1)
    }
    if (this.#isQuote(first)) return this.#string()
    for (const [word, value] of LITERALS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length
        return value
      }
    }
    return this.#number()
  }

  #object(pointer: string, depth: number): JsonObject {
    const object: JsonObject = {}
    this.#at++
    this.#skip()
    if (this.#take('}')) return object
    for (;;) {
      this.#skip()
      if (this.#isRelaxed && this.#take('}')) return object
      const keyAt = this.#at
      if (!this.#isQuote(this.#text[this.#at]))
        this.#fail(`expected a member name in double quotes, got ${this.#found()}`)
      const key = this.#string()
      const keyEnd = this.#at
      if (Object.hasOwn(object, key)) this.#fail(`the member ${JSON.stringify(key)} is given twice`, keyAt)
      this.#skip()
      if (!this.#take(':')) this.#fail(`expected ":" after the member name, got ${this.#found()}`)
      const member = this.#ranges === null ? '' : appendPointer(pointer, key)
      setOwn(object, key, this.#value(member, depth, this.#ranges === null ? null : { from: keyAt, keyEnd }))
      this.#skip()
      if (this.#take('}')) return object
      if (!this.#take(',')) this.#fail(`expected "," or "}", got ${this.#found()}`)
    }
  }

  #array(pointer: string, depth: number): JsonValue[] {
    const items: JsonValue[] = []
    this.#at++
    this.#skip()
    if (this.#take(']')) return items
    for (;;) {
      this.#skip()
      if (this.#isRelaxed && this.#take(']')) return items
      items.push(this.#value(this.#ranges === null ? '' : appendPointer(pointer, items.length), depth))
      this.#skip()
      if (this.#take(']')) return items
      if (!this.#take(',')) this.#fail(`expected "," or "]", got ${this.#found()}`)
    }
  }

  #string(): string {
    const text = this.#text
    const start = this.#at
    const quote = text.charCodeAt(start)
    let at = start + 1
    let escapes = false
    for (let unit = text.charCodeAt(at); unit !== quote; unit = text.charCodeAt(++at)) {
      if (unit === 0x5c) {
        escapes = true
        at++
      } else if (!(unit >= 0x20)) {
        if (!this.#isRelaxed || at >= text.length) this.#endless(start, at)
      } else if (quote === 0x22 && at % LITTLE === 0) at = Math.max(at, endOf(PLAIN, text, at) - 1)
    }
    this.#at = at + 1
    return escapes ? this.#unescaped(start, at) : text.slice(start + 1, at)
  }

  #endless(start: number, at: number): never {
    if (at >= this.#text.length) this.#fail('this string has no closing quote', start)
    this.#fail('a control character in a string must be escaped; for a line break write \\n', at)
  }

  /** JSON.parse checks escapes; this locates the invalid one for the message. */
  #unescaped(start: number, end: number): string {
    const written = this.#text.slice(start + 1, end)
    try {
      return JSON.parse(`"${this.#isRelaxed ? written.replace(RELAXED, strictPart) : written}"`) as string
    } catch {
      ESCAPE.lastIndex = start
      for (let found = ESCAPE.exec(this.#text); found !== null; found = ESCAPE.exec(this.#text)) {
        const [, digits, letter] = found
        if (digits !== undefined && !/^[0-9a-fA-F]{4}$/.test(digits)) {
          this.#fail('expected four hexadecimal digits after \\u', found.index)
        }
        if (letter !== undefined && !'"\\/bfnrt'.includes(letter) && !(this.#isRelaxed && letter === "'")) {
          this.#fail(`unknown escape "\\${letter}"; a backslash itself is written \\\\`, found.index)
        }
      }
      return this.#fail('this string is not valid', start)
    }
  }

  #isQuote(character: string | undefined): boolean {
    return character === '"' || (this.#isRelaxed && character === "'")
  }

  #number(): number | JsonNumber {
    NUMBER.lastIndex = this.#at
    const match = NUMBER.exec(this.#text)
    if (match === null) this.#fail(`expected a value, got ${this.#found()}`)
    this.#at += (match as RegExpExecArray)[0].length
    return jsonNumber((match as RegExpExecArray)[0])
  }

  #skip(): void {
    const text = this.#text
    let at = this.#at
    for (;;) {
      const unit = text.charCodeAt(at)
      if (unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09) {
        at = at % LITTLE === 0 ? endOf(BLANKS, text, at) : at + 1
        continue
      }
      this.#at = at
      if (unit !== 0x2f || !this.#comment()) return
      at = this.#at
    }
  }

  #comment(): boolean {
    const next = this.#text[this.#at + 1]
    if (next === '/') {
      const end = this.#text.indexOf('\n', this.#at)
      this.#at = end === -1 ? this.#text.length : end
      return true
    }
    if (next !== '*') return false
    const end = this.#text.indexOf('*/', this.#at + 2)
    if (end === -1) this.#fail('this comment has no closing */')
    this.#at = end + 2
    return true
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #found(): string {
    const character = this.#text.codePointAt(this.#at)
    return character === undefined ? 'the end of the text' : JSON.stringify(String.fromCodePoint(character))
  }

  #fail(reason: string, offset = this.#at): never {
    throw new JsonSyntaxError(reason, this.#text, offset)
  }
}
