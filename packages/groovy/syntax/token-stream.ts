import { GroovySyntaxError, type Position } from './syntax-error.ts'
import type { Token } from './tokens.ts'

/** Maximum nesting of constructs: each level uses stack. */
const MAX_NESTING = 150

/** Tokens with a current position. */
export class TokenStream {
  readonly file: string
  readonly text: string
  readonly #tokens: readonly Token[]
  #index = 0
  #nesting = 0
  /** Names of all type parameters of the script. */
  readonly typeParameters: Set<string>
  /** Enclosing switch expressions: only in them `yield` is a statement. */
  switchDepth = 0

  constructor(tokens: readonly Token[], text: string, file: string, nesting = 0, typeParameters = new Set<string>()) {
    this.typeParameters = typeParameters
    this.#tokens = tokens
    this.text = text
    this.file = file
    this.#nesting = nesting
  }

  /** A stream over the tokens of a GString expression, at the nesting depth of this one. */
  embedded(tokens: readonly Token[]): TokenStream {
    return new TokenStream(tokens, this.text, this.file, this.#nesting, this.typeParameters)
  }

  peek(ahead = 0): Token {
    return (this.#tokens[this.#index + ahead] ?? this.#tokens.at(-1)) as Token
  }

  /** End of the previous token. */
  get previousEnd(): number {
    return this.#tokens[this.#index - 1]?.end ?? 0
  }

  next(): Token {
    const token = this.peek()
    if (token.kind !== 'end') this.#index += 1
    return token
  }

  /** Whether the token is this symbol or keyword. */
  is(text: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return token.text === text && (token.kind === 'operator' || token.kind === 'keyword')
  }

  /** Whether the token is this contextual keyword. */
  isWord(text: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return token.kind === 'identifier' && token.text === text
  }

  accept(text: string): boolean {
    if (!this.is(text)) return false
    this.#index += 1
    return true
  }

  expect(text: string, where: string): Token {
    if (!this.is(text)) throw this.unexpected(`${text} ${where}`)
    return this.next()
  }

  expectName(where: string): Token {
    if (this.peek().kind !== 'identifier') throw this.unexpected(`a name ${where}`)
    return this.next()
  }

  skipNewlines(): void {
    while (this.peek().kind === 'newline') this.#index += 1
  }

  /** The next token that is not a newline. */
  peekPastNewline(): Token {
    return this.peek(this.peek().kind === 'newline' ? 1 : 0)
  }

  /** Tries to parse; restores the position where `read` returns null or fails. */
  attempt<Result>(read: () => Result | null): Result | null {
    const [index, nesting] = [this.#index, this.#nesting]
    try {
      const result = read()
      if (result !== null) return result
    } catch (error) {
      if (!(error instanceof GroovySyntaxError)) throw error
    }
    this.#index = index
    this.#nesting = nesting
    return null
  }

  /** Evaluates a look-ahead and restores the position; returns false on a syntax error. */
  ahead(lookAhead: () => boolean): boolean {
    let result = false
    this.attempt(() => {
      result = lookAhead()
      return null
    })
    return result
  }

  /** Parses a construct that may be nested. */
  nested<Result>(read: () => Result): Result {
    this.#nesting += 1
    if (this.#nesting > MAX_NESTING) throw this.fail(`more than ${MAX_NESTING} constructs are nested here`)
    const result = read()
    this.#nesting -= 1
    return result
  }

  /** The error for an unexpected token. */
  unexpected(expected: string): GroovySyntaxError {
    return this.fail(`expected ${expected}, but found ${describe(this.peek())}`)
  }

  fail(reason: string, position: Position = this.peek().position): GroovySyntaxError {
    return new GroovySyntaxError(reason, this.file, position)
  }
}

/** A token as messages show it. */
function describe(token: Token): string {
  switch (token.kind) {
    case 'end':
      return token.text === '' ? 'the end of the script' : 'the end of the value'
    case 'newline':
      return 'the end of the line'
    case 'string':
    case 'gstring':
      return 'a text'
    default:
      return token.text
  }
}
