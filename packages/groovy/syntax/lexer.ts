import { numberValue, scanNumber } from './number-literal.ts'
import { StringReader } from './string-reader.ts'
import { GroovySyntaxError, type Position } from './syntax-error.ts'
import { KEYWORDS, OPERATORS, type Token, type TokenKind } from './tokens.ts'

const IDENTIFIER = /[\p{L}_$\p{Nl}][\p{L}\p{N}_$\p{Mn}]*/uy
const SPACE = /(?:[ \t\f]|\\\r?\n)+/y
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y

/** Tokens after which a slash is a division; after others it starts a string. */
const ENDS_OPERAND: ReadonlySet<string> = new Set([')', ']', '}', '++', '--', 'this', 'super', 'null', 'true', 'false'])

const MAX_NESTING = 200

/** Splits source text into tokens. Newlines within parentheses and square brackets are skipped. */
export class Lexer {
  readonly file: string
  readonly text: string
  position = 0
  #line = 1
  #lineStart = 0
  #nesting = 0

  constructor(text: string, file: string) {
    this.text = text
    this.file = file
  }

  /** All tokens, the last one `end`. */
  read(): Token[] {
    if (this.text.startsWith('\uFEFF')) this.position = 1
    if (this.text.startsWith('#!', this.position)) {
      const end = this.text.indexOf('\n')
      this.position = end < 0 ? this.text.length : end
    }
    return this.#readUntil(null)
  }

  /** Tokens of `${...}` up to the closing brace, which is consumed. */
  readEmbedded(): Token[] {
    this.#nesting += 1
    if (this.#nesting > MAX_NESTING) throw this.fail('expressions in strings are nested too deeply')
    const tokens = this.#readUntil('}')
    this.#nesting -= 1
    return tokens
  }

  at(): Position {
    return { line: this.#line, column: this.position - this.#lineStart + 1, offset: this.position }
  }

  fail(reason: string, position: Position = this.at()): GroovySyntaxError {
    return new GroovySyntaxError(reason, this.file, position)
  }

  /** Advances by a number of characters, counting lines. */
  advance(count: number): void {
    const end = this.position + count
    for (let at = this.text.indexOf('\n', this.position); at >= 0 && at < end; at = this.text.indexOf('\n', at + 1)) {
      this.#line += 1
      this.#lineStart = at + 1
    }
    this.position = end
  }

  match(pattern: RegExp): string | null {
    pattern.lastIndex = this.position
    return pattern.exec(this.text)?.[0] ?? null
  }

  #readUntil(closing: '}' | null): Token[] {
    const tokens: Token[] = []
    const open: { sign: string; position: Position }[] = []
    for (;;) {
      this.#skipSpace()
      const position = this.at()
      if (this.position >= this.text.length) {
        const unclosed = open.at(-1)
        if (unclosed !== undefined) throw this.fail(`this ${unclosed.sign} is not closed`, unclosed.position)
        if (closing !== null)
          throw this.fail('expected } after the expression in this string, but the script ends here')
        tokens.push({ kind: 'end', text: '', position, end: this.position })
        return tokens
      }
      if (closing !== null && open.length === 0 && this.text[this.position] === closing) {
        tokens.push({ kind: 'end', text: closing, position, end: this.position })
        this.position += 1
        return tokens
      }
      const token = this.#next(tokens.at(-1), position)
      if (token.kind === 'newline') {
        const bracket = open.at(-1)?.sign
        if (bracket === '(' || bracket === '[') continue
        if (tokens.at(-1)?.kind === 'newline') continue
      } else if (token.kind === 'operator') this.#countBrackets(token, open)
      tokens.push(token)
    }
  }

  #countBrackets({ text, position }: Token, open: { sign: string; position: Position }[]): void {
    if (text === '(' || text === '{' || text === '[' || text === '?[') open.push({ sign: text.at(-1)!, position })
    else if (text === ')' || text === '}' || text === ']') {
      const last = open.pop()
      const expected = last === undefined ? null : CLOSING[last.sign as keyof typeof CLOSING]
      if (expected === text) return
      if (last === undefined) throw this.fail(`unmatched ${text}`, position)
      throw this.fail(
        `expected ${expected} for the ${last.sign} of line ${last.position.line}, but found ${text}`,
        position,
      )
    }
  }

  #skipSpace(): void {
    for (;;) {
      const skipped = this.match(SPACE) ?? this.match(COMMENT)
      if (skipped === null) break
      this.advance(skipped.length)
    }
    if (this.text.startsWith('/*', this.position)) throw this.fail('this comment is not closed with */')
  }

  #next(previous: Token | undefined, position: Position): Token {
    const character = this.text[this.position] as string
    if (character === '\n' || character === '\r') return this.#newline(position)
    const strings = new StringReader(this)
    if (strings.begins(character, slashDivides(previous))) return strings.read(position)
    const word = this.match(IDENTIFIER)
    if (word !== null) return this.#take(KEYWORDS.has(word) ? 'keyword' : 'identifier', word, position)
    if (/[\d.]/.test(character)) {
      const number = scanNumber(this.text, this.position)
      if (number !== null) return this.#number(number, position)
    }
    return this.#operator(position)
  }

  #newline(position: Position): Token {
    this.advance(this.text.startsWith('\r\n', this.position) ? 2 : 1)
    return { kind: 'newline', text: '\n', position, end: this.position }
  }

  #number(written: string, position: Position): Token {
    const found = numberValue(written)
    if ('problem' in found) throw this.fail(found.problem, position)
    return { ...this.#take('number', written, position), value: found.value }
  }

  #operator(position: Position): Token {
    const negated = /!(?:instanceof|in)(?![\p{L}\p{N}_$])/uy
    const word = this.match(negated)
    if (word !== null) return this.#take('operator', word, position)
    const sign = OPERATORS.find((each) => this.text.startsWith(each, this.position))
    if (sign === undefined) {
      const character = String.fromCodePoint(this.text.codePointAt(this.position) as number)
      throw this.fail(`the character ${JSON.stringify(character)} is not allowed here`)
    }
    return this.#take('operator', sign, position)
  }

  #take(kind: TokenKind, text: string, position: Position): Token {
    this.advance(text.length)
    return { kind, text, position, end: this.position }
  }
}

const CLOSING = { '(': ')', '[': ']', '{': '}' }

function slashDivides(previous: Token | undefined): boolean {
  switch (previous?.kind) {
    case 'identifier':
    case 'number':
    case 'string':
    case 'gstring':
      return true
    case 'keyword':
    case 'operator':
      return ENDS_OPERAND.has(previous.text)
    default:
      return false
  }
}
