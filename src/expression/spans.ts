import { ExpressionSyntaxError } from './errors.ts'
import { Lexer, type Token } from './lexer.ts'
import { backslashesBefore, nextOpening } from './parser.ts'

/** A token with the offset after it. */
interface SpannedToken extends Token {
  readonly end: number
}

/** A `${...}` of a text, also an unfinished one. */
interface ExpressionSpan {
  /** Offset of the opening. */
  readonly from: number
  /** Offset after the closing brace; the end of the text where it is missing. */
  readonly to: number
  readonly isClosed: boolean
  /** Tokens between opening and closing brace, as far as they can be read. */
  readonly tokens: readonly SpannedToken[]
  /** Where characters begin that have no meaning, such as an unclosed string; null without such. */
  readonly invalidFrom: number | null
}

/** The expressions of a text as an editor needs them: by tokens, not by grammar. */
export function* expressionSpans(text: string): Generator<ExpressionSpan> {
  let position = 0
  for (let from = nextOpening(text, position); from !== -1; from = nextOpening(text, position)) {
    const isEscaped = backslashesBefore(text, from, position) % 2 === 1
    position = from + 2
    if (isEscaped) continue
    const span = spanAt(text, from)
    position = span.to
    yield span
  }
}

function spanAt(text: string, from: number): ExpressionSpan {
  const lexer = new Lexer(text, from + 2)
  const tokens: SpannedToken[] = []
  try {
    for (let token = lexer.next(); token.kind !== 'end'; token = lexer.next()) {
      const end = lexer.position
      if (token.kind === 'symbol' && token.text === '}')
        return { from, to: end, isClosed: true, tokens, invalidFrom: null }
      tokens.push({ ...token, end })
    }
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error
    return { from, to: text.length, isClosed: false, tokens, invalidFrom: error.offset }
  }
  return { from, to: text.length, isClosed: false, tokens, invalidFrom: null }
}
