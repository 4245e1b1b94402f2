import { QueryFilterError } from './filter.ts'

/** A word is a pointer, a keyword, an operator, a number or a boolean, by its position. */
export interface Token {
  readonly kind: '(' | ')' | '!' | 'word' | 'string' | 'end'
  readonly text: string
  readonly offset: number
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

export class FilterLexer {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  next(): Token {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++
    const offset = this.#at
    const first = this.#text[offset]
    if (first === undefined) return { kind: 'end', text: '', offset }
    if (first === '(' || first === ')' || first === '!') {
      this.#at++
      return { kind: first, text: first, offset }
    }
    if (first === '"' || first === "'") return { kind: 'string', text: this.#string(first), offset }
    return { kind: 'word', text: this.#word(), offset }
  }

  #word(): string {
    const start = this.#at
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] as string
      if (/[\s()]/.test(character)) break
      if (character === '"' || character === "'") {
        throw new QueryFilterError('a quote inside a word; put white space before it, or write it as %22', this.#at)
      }
    }
    return this.#text.slice(start, this.#at)
  }

  /** Double quotes as in the spec, single ones as in older servers; escapes of RFC 7159 section 7. */
  #string(quote: string): string {
    const start = this.#at++
    let result = ''
    for (;;) {
      const character = this.#text[this.#at]
      if (character === undefined) throw new QueryFilterError('this string has no closing quote', start)
      this.#at++
      if (character === quote) break
      result += character === '\\' ? this.#escape() : character
    }
    const after = this.#text[this.#at]
    if (after !== undefined && !/[\s)]/.test(after)) {
      throw new QueryFilterError('expected white space or ")" after the string', this.#at)
    }
    return result
  }

  #escape(): string {
    const letter = this.#text[this.#at++] ?? ''
    if (letter === 'u') {
      const digits = this.#text.slice(this.#at, this.#at + 4)
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new QueryFilterError('expected four hex digits after \\u', this.#at)
      this.#at += 4
      return String.fromCharCode(Number.parseInt(digits, 16))
    }
    const escaped = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined
    if (escaped !== undefined) return escaped
    throw new QueryFilterError(`unknown escape "\\${letter}"; a backslash itself is written \\\\`, this.#at - 1)
  }
}
