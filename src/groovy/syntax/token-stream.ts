import { GroovySyntaxError, type Position } from './syntax-error.ts'
import type { Token } from './tokens.ts'

/** How deep constructs may stand in one another: each level takes some of the stack. */
const MAX_NESTING = 150

/** Tokens with a place among them. */
export class TokenStream {
  readonly file: string
  readonly text: string
  readonly #tokens: readonly Token[]
  #index = 0
  #nesting = 0
  /** Names of type parameters of the whole script. */
  readonly typeParameters: Set<string>
  /** Switch expressions around this place: only there is `yield` a statement. */
  switchDepth = 0

  constructor(tokens: readonly Token[], text: string, file: string, nesting = 0, typeParameters = new Set<string>()) {
    this.typeParameters = typeParameters
    this.#tokens = tokens
    this.text = text
    this.file = file
    this.#nesting = nesting
  }

  /** A stream over the tokens of a value in a text, which is nested as this one is. */
  embedded(tokens: readonly Token[]): TokenStream {
    return new TokenStream(tokens, this.text, this.file, this.#nesting, this.typeParameters)
  }

  peek(ahead = 0): Token {
    return (this.#tokens[this.#index + ahead] ?? this.#tokens.at(-1)) as Token
  }

  /** Where the token before this place ends. */
  get previousEnd(): number {
    return this.#tokens[this.#index - 1]?.end ?? 0
  }

  next(): Token {
    const token = this.peek()
    if (token.kind !== 'end') this.#index += 1
    return token
  }

  /** Whether the token is this sign or word of the language. */
  is(text: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return token.text === text && (token.kind === 'operator' || token.kind === 'keyword')
  }

  /** Whether the token is this word, which is a name elsewhere. */
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

  /** The first token that is no newline, from this place on. */
  peekPastNewline(): Token {
    return this.peek(this.peek().kind === 'newline' ? 1 : 0)
  }

  /** Tries a way to read on; where it returns null, or does not fit, the place is as before. */
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

  /** Asks a question about what follows; the place stays as it is. What can not be read answers no. */
  ahead(question: () => boolean): boolean {
    let answer = false
    this.attempt(() => {
      answer = question()
      return null
    })
    return answer
  }

  /** Reads something that may hold more of its kind. */
  nested<Result>(read: () => Result): Result {
    this.#nesting += 1
    if (this.#nesting > MAX_NESTING) throw this.fail(`more than ${MAX_NESTING} constructs are nested here`)
    const result = read()
    this.#nesting -= 1
    return result
  }

  /** What was expected instead of the token at this place. */
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
