import { operatorOf } from '../../../src/expression/lexer.ts'
import { isExpression as hasExpression } from '../../../src/expression/parser.ts'
import { expressionSpans } from '../../../src/expression/spans.ts'

/** A part of an expression, as an editor shows it. */
export interface ExpressionToken {
  readonly kind: 'delimiter' | 'name' | 'function' | 'string' | 'literal' | 'operator' | 'invalid'
  readonly from: number
  readonly to: number
}

/** Whether a value is a text with an expression, as the gateway sees it. */
export function isExpression(value: unknown): value is string {
  return typeof value === 'string' && hasExpression(value)
}

const LITERALS = /^(?:true|false|null)$/

/** The tokens of the expressions of a text, in order; text outside of them has none. */
export function* expressionTokens(text: string): Generator<ExpressionToken> {
  for (const { from, to, isClosed, tokens, invalidFrom } of expressionSpans(text)) {
    yield { kind: 'delimiter', from, to: from + 2 }
    for (const [index, token] of tokens.entries()) {
      const { kind, text: word, at, end } = token
      const isCall = kind === 'name' && tokens[index + 1]?.text === '(' && tokens[index + 1]?.kind === 'symbol'
      if (kind === 'string') yield { kind, from: at, to: end }
      else if (kind === 'number' || (kind === 'name' && LITERALS.test(word)))
        yield { kind: 'literal', from: at, to: end }
      else if (operatorOf(token) !== null) yield { kind: 'operator', from: at, to: end }
      else yield { kind: isCall ? 'function' : 'name', from: at, to: end }
    }
    if (invalidFrom !== null && invalidFrom < to) yield { kind: 'invalid', from: invalidFrom, to }
    if (isClosed) yield { kind: 'delimiter', from: to - 1, to }
  }
}
