import type { Expression, GStringNode } from './ast.ts'
import { parseParameterlessClosure, parseStatements } from './statement-parser.ts'
import type { TokenStream } from './token-stream.ts'
import type { GStringPart } from './tokens.ts'

/** A GString. */
export function parseGString(stream: TokenStream): GStringNode {
  const { strings, parts, position } = stream.next()
  return {
    kind: 'gstring',
    strings: strings ?? [],
    values: (parts ?? []).map((part) => stream.nested(() => parsePart(stream, part))),
    position,
  }
}

function parsePart(stream: TokenStream, { tokens, path, position }: GStringPart): Expression {
  if (tokens === null) return pathExpression(path)
  const inner = stream.embedded(tokens)
  inner.skipNewlines()
  if (inner.is('->')) return parseParameterlessClosure(inner)
  const statements = parseStatements(inner)
  if (statements.length === 0) return { kind: 'literal', value: null, position }
  const [only] = statements
  if (statements.length === 1 && only?.kind === 'expression') return only.expression
  // Several statements are compiled as a closure that is called immediately.
  const body = { kind: 'block' as const, statements, position }
  const closure = { kind: 'closure' as const, parameters: [], body, isLambda: false, position }
  return { kind: 'callValue', callee: closure, args: [], position }
}

function pathExpression(path: GStringPart['path']): Expression {
  const [first, ...rest] = path
  const { name, position } = first!
  const start: Expression = name === 'this' ? { kind: 'this', position } : { kind: 'variable', name, position }
  return rest.reduce<Expression>(
    (target, step) => ({
      kind: 'property',
      target,
      name: step.name,
      namePosition: step.position,
      access: 'plain',
      position,
    }),
    start,
  )
}
