// Command expressions, without parentheses: `println x`, `a b c d` for `a(b).c(d)`.
import { parseCommandArguments } from './argument-parser.ts'
import type { Expression } from './ast.ts'
import { isFieldAccess } from './expression-parser.ts'
import { continuePath, withArguments } from './path-parser.ts'
import type { TokenStream } from './token-stream.ts'
import { PRIMITIVE_NAMES, type Token } from './tokens.ts'

const ARGUMENT_WORDS: ReadonlySet<string> = new Set(['this', 'super', 'new', 'null', 'true', 'false', 'switch'])

/** Whether a command expression begins: a name with an argument on the same line. */
export function isCommandHead(expression: Expression, stream: TokenStream): boolean {
  if (!namesMethod(expression)) return false
  return beginsArgument(stream.peek(), stream)
}

function namesMethod(expression: Expression): boolean {
  if (expression.kind === 'property') return !isFieldAccess(expression.access)
  if (expression.kind === 'variable') return true
  return expression.kind === 'literal' && typeof expression.value === 'string'
}

function beginsArgument(token: Token, stream: TokenStream): boolean {
  switch (token.kind) {
    case 'identifier':
    case 'number':
    case 'string':
    case 'gstring':
      return true
    case 'keyword':
      // Keywords are allowed as argument names.
      return ARGUMENT_WORDS.has(token.text) || PRIMITIVE_NAMES.has(token.text) || stream.is(':', 1)
    case 'operator':
      return token.text === '!' || token.text === '~'
    default:
      return false
  }
}

/** Parses the arguments of a command expression and the rest of its chain on the same line. */
export function parseCommand(head: Expression, stream: TokenStream): Expression {
  let chain = withArguments(head, parseCommandArguments(stream))
  for (;;) {
    const token = stream.peek()
    if (token.kind !== 'identifier') return chain
    stream.next()
    const { position } = chain
    const link: Expression = {
      kind: 'property',
      target: chain,
      name: token.text,
      namePosition: token.position,
      access: 'plain',
      position,
    }
    chain =
      stream.is('(') || !beginsArgument(stream.peek(), stream)
        ? linkWithBrackets(link, stream)
        : withArguments(link, parseCommandArguments(stream))
  }
}

function linkWithBrackets(link: Expression, stream: TokenStream): Expression {
  return stream.is('(') || stream.is('{') ? continuePath(stream, link) : link
}
