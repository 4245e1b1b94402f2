import { jsonNumber, type Numeric } from '#json'
import { ExpressionSyntaxError } from './errors.ts'

/** One token of an expression; word operators are converted to symbols. */
export interface Token {
  readonly kind: 'number' | 'string' | 'name' | 'symbol' | 'end'
  /** The symbol, the name, or the text of a string after its escapes. */
  readonly text: string
  readonly value: Numeric
  readonly at: number
}

const wordOperators: ReadonlyMap<string, string> = new Map([
  ['div', '/'],
  ['mod', '%'],
  ['eq', '=='],
  ['ne', '!='],
  ['lt', '<'],
  ['gt', '>'],
  ['le', '<='],
  ['ge', '>='],
  ['and', '&&'],
  ['or', '||'],
  ['not', '!'],
  ['empty', 'empty'],
])

const symbols = ['&&', '||', '==', '!=', '<=', '>=', ...'+-*/%<>!?:()[].,}']
const largestLong = 2n ** 63n - 1n
const space = /[ \t\r\n\f]*/y
const name = /[\p{L}_$][\p{L}\p{N}_$]*/uy
const number = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y

/** Reads tokens one at a time, so that the grammar finds the end of a `${...}`, not a count of braces. */
export class Lexer {
  readonly #text: string
  #position: number

  constructor(text: string, position: number) {
    this.#text = text
    this.#position = position
  }

  /** Offset after the last token. */
  get position(): number {
    return this.#position
  }

  next(): Token {
    this.#match(space)
    const at = this.#position
    if (at >= this.#text.length) return { kind: 'end', text: 'the end of the text', value: 0, at }
    const first = this.#text[at]!
    if (first === "'" || first === '"') return this.#string(first, at)
    const digits = this.#match(number)
    if (digits !== null) return this.#number(digits, at)
    const word = this.#match(name)
    if (word !== null) return { kind: 'name', text: word, value: 0, at }
    const symbol = symbols.find((candidate) => this.#text.startsWith(candidate, at))
    if (symbol === undefined) {
      throw new ExpressionSyntaxError(`unexpected character ${JSON.stringify(first)} in an expression`, at)
    }
    this.#position += symbol.length
    return { kind: 'symbol', text: symbol, value: 0, at }
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#position
    const found = pattern.exec(this.#text)
    if (found === null) return null
    this.#position = pattern.lastIndex
    return found[0]
  }

  #number(digits: string, at: number): Token {
    const value = literalNumber(digits)
    if (value === null) throw new ExpressionSyntaxError(`the number ${digits.slice(0, 40)} is too large`, at)
    const following = this.#text[this.#position]
    if (following !== undefined && /[\p{L}\p{N}_$]/u.test(following)) {
      throw new ExpressionSyntaxError(`unexpected ${JSON.stringify(following)} after the number ${digits}`, at)
    }
    return { kind: 'number', text: digits, value, at }
  }

  #string(quote: string, at: number): Token {
    let text = ''
    let position = at + 1
    for (;;) {
      const character = this.#text[position]
      if (character === undefined) throw new ExpressionSyntaxError('this string has no closing quote', at)
      position += 1
      if (character === quote) break
      if (character !== '\\') {
        text += character
        continue
      }
      const escaped = this.#text[position]
      if (escaped === undefined) throw new ExpressionSyntaxError('this string has no closing quote', at)
      position += 1
      // EL escapes only quotes and the backslash; others keep the backslash, so that the regex gets '\d' and '\.'.
      text += escaped === '\\' || escaped === "'" || escaped === '"' ? escaped : `\\${escaped}`
    }
    this.#position = position
    return { kind: 'string', text, value: 0, at }
  }
}

/** An integer is exact, any other number a double; null where it exceeds the range of `long` or `double` in Java. */
function literalNumber(digits: string): Numeric | null {
  const value = Number(digits)
  if (!/^\d+$/.test(digits)) return Number.isFinite(value) ? value : null
  if (Number.isSafeInteger(value)) return value
  const exact = digits.length > 64 ? largestLong + 1n : BigInt(digits)
  return exact > largestLong ? null : jsonNumber(String(exact))
}

/** The operator of a token, or its text if it is a symbol; null for operands. */
export function operatorOf(token: Token): string | null {
  if (token.kind === 'symbol') return token.text
  return token.kind === 'name' ? (wordOperators.get(token.text) ?? null) : null
}
