// Variable declarations.
import type { DeclarationNode, DeclaredVariable, Modifiers, TypeNode } from './ast.ts'
import { parseCommandExpression } from './expression-parser.ts'
import { isLambda, parseLambda } from './path-parser.ts'
import type { TokenStream } from './token-stream.ts'
import { MODIFIERS } from './tokens.ts'
import { parseType } from './type-parser.ts'

/** Whether a declaration begins here: a modifier, or a type and a name. */
export function isDeclaration(stream: TokenStream): boolean {
  const token = stream.peek()
  if (stream.is('@')) return true
  if (token.kind === 'keyword' && MODIFIERS.has(token.text)) return true
  if (token.kind !== 'identifier' && token.kind !== 'keyword') return false
  return stream.ahead(() => {
    const type = parseType(stream)
    if (stream.peek().kind !== 'identifier') return false
    return stream.is('=', 1) || (looksLikeType(type) && endsName(stream))
  })
}

/** Class names start with a capital letter; `foo bar` is a command expression. */
function looksLikeType({ name, dimensions }: TypeNode): boolean {
  const last = name.slice(name.lastIndexOf('.') + 1)
  return dimensions > 0 || /^\p{Lu}/u.test(last) || /^(?:boolean|byte|char|double|float|int|long|short)$/.test(name)
}

/** Whether a variable name without an initializer ends here. */
function endsName(stream: TokenStream): boolean {
  const { kind } = stream.peek(1)
  return kind === 'newline' || kind === 'end' || [';', ',', '}', ')', 'in', ':'].some((sign) => stream.is(sign, 1))
}

/** Parses a declaration after its modifiers. */
export function parseDeclaration(stream: TokenStream, modifiers: Modifiers): DeclarationNode {
  const { position } = stream.peek()
  if (stream.is('(')) return parseDestructuring(stream, modifiers)
  const type = isNameOfVariable(stream) ? null : parseType(stream)
  const variables: DeclaredVariable[] = []
  do {
    stream.skipNewlines()
    variables.push(parseVariable(stream, type))
  } while (stream.accept(','))
  return { kind: 'declaration', modifiers, variables, destructured: null, position }
}

function isNameOfVariable(stream: TokenStream): boolean {
  if (stream.peek().kind !== 'identifier') return false
  return stream.is('=', 1) || endsName(stream)
}

function parseVariable(stream: TokenStream, type: TypeNode | null): DeclaredVariable {
  const { text: name, position } = stream.expectName('of a variable')
  if (!stream.is('=')) return { name, type, initial: null, position }
  stream.next()
  stream.skipNewlines()
  const initial = isLambda(stream) ? parseLambda(stream) : parseCommandExpression(stream)
  return { name, type, initial, position }
}

/** `def (a, int b) = value`. */
function parseDestructuring(stream: TokenStream, modifiers: Modifiers): DeclarationNode {
  const { position } = stream.next()
  const variables: DeclaredVariable[] = []
  do {
    const isBare = stream.peek().kind === 'identifier' && (stream.is(',', 1) || stream.is(')', 1))
    const type = isBare ? null : parseType(stream)
    const { text: name, position: at } = stream.expectName('of a variable')
    variables.push({ name, type, initial: null, position: at })
  } while (stream.accept(','))
  stream.expect(')', 'after the names of variables')
  stream.expect('=', 'after the names of variables')
  stream.skipNewlines()
  return { kind: 'declaration', modifiers, variables, destructured: parseCommandExpression(stream), position }
}
