// Primary expressions with suffixes: members, calls, indexes, closures.

import { parseArguments, parseListOrMap } from './argument-parser.ts'
import type { CallNode, ClosureNode, Expression, Parameter } from './ast.ts'
import { parseNew } from './creation-parser.ts'
import { ACCESS, isFieldAccess, parseCommandExpression, parseExpression } from './expression-parser.ts'
import { parseBlock, parseClosure, parseParameters, parseSwitchExpression } from './statement-parser.ts'
import { parseGString } from './string-parser.ts'
import type { TokenStream } from './token-stream.ts'
import { PRIMITIVE_NAMES, type Token } from './tokens.ts'
import { skipTypeArguments } from './type-parser.ts'

/** A primary expression with its suffixes. */
export function parsePath(stream: TokenStream): Expression {
  return continuePath(stream, parsePrimary(stream))
}

/** Parses the suffixes of an expression. */
export function continuePath(stream: TokenStream, start: Expression): Expression {
  let target = start
  for (;;) {
    const longer = parseStep(stream, target)
    if (longer === null) return target
    target = longer
  }
}

function parseStep(stream: TokenStream, target: Expression): Expression | null {
  const token = stream.peek()
  const member = stream.peekPastNewline()
  const { position } = target
  if (member.kind === 'operator' && (ACCESS.has(member.text) || member.text === '.&' || member.text === '::')) {
    stream.skipNewlines()
    stream.next()
    return parseMember(stream, target, member)
  }
  if (token.kind !== 'operator') return null
  switch (token.text) {
    case '(':
      return withArguments(target, parseWithClosures(stream, parseArguments(stream)))
    case '{':
      return acceptsClosure(target) ? withArguments(target, parseWithClosures(stream, [])) : null
    case '[':
    case '?[': {
      stream.next()
      const indexes = parseIndexes(stream)
      return { kind: 'index', target, indexes, safe: token.text === '?[', bracket: token.position, position }
    }
    case '++':
    case '--':
      stream.next()
      return { kind: 'step', operator: token.text, prefix: false, operand: target, position }
    default:
      return null
  }
}

/** Expressions that can be called with a closure as the only argument. */
function acceptsClosure({ kind }: Expression): boolean {
  return kind === 'variable' || kind === 'property' || kind === 'call' || kind === 'callValue' || kind === 'index'
}

function parseIndexes(stream: TokenStream): Expression[] {
  const indexes: Expression[] = []
  while (!stream.accept(']')) {
    const spread = stream.is('*') ? stream.next() : null
    const value = parseExpression(stream)
    if (stream.is(':')) throw stream.fail('expected ] after an index, but found : (a map literal is not allowed here)')
    indexes.push(spread === null ? value : { kind: 'spread', value, position: spread.position })
    if (!stream.is(']')) stream.expect(',', 'or ] after an index')
  }
  return indexes
}

function parseMember(stream: TokenStream, target: Expression, sign: Token): Expression {
  stream.skipNewlines()
  if (stream.is('<')) skipTypeArguments(stream)
  const { position: namePosition } = stream.peek()
  const name = parseMemberName(stream)
  const { position } = target
  if (sign.text === '.&' || sign.text === '::') return { kind: 'methodPointer', target, name, namePosition, position }
  return { kind: 'property', target, name, namePosition, access: ACCESS.get(sign.text)!, position }
}

/** A member name: an identifier, a keyword, a string, a GString, or an expression in parentheses. */
function parseMemberName(stream: TokenStream): string | Expression {
  const token = stream.peek()
  switch (token.kind) {
    case 'identifier':
    case 'keyword':
    case 'string':
      return stream.next().text
    case 'gstring':
      return parseGString(stream)
    default:
      if (stream.is('(')) return parsePrimary(stream)
      throw stream.unexpected('the name of a member')
  }
}

/** `(a, b) { ... } { ... }`: closures after the parentheses are appended to the arguments. */
function parseWithClosures(stream: TokenStream, args: Expression[]): Expression[] {
  const all = [...args]
  while (stream.is('{')) all.push(parseClosure(stream))
  return all
}

/** A call of the method that an expression names, or of its value. */
export function withArguments(target: Expression, args: readonly Expression[]): Expression {
  const { position } = target
  if (target.kind === 'variable') {
    const { name } = target
    return { kind: 'call', target: null, name, namePosition: position, args, access: 'plain', position }
  }
  if (target.kind === 'property' && !isFieldAccess(target.access)) {
    const { name, namePosition, access } = target
    const call: CallNode = { kind: 'call', target: target.target, name, namePosition, args, access, position }
    return call
  }
  if (target.kind === 'literal' && typeof target.value === 'string') {
    // `'a name'()` calls the method with that name.
    const { value } = target
    return { kind: 'call', target: null, name: value, namePosition: position, args, access: 'plain', position }
  }
  return { kind: 'callValue', callee: target, args, position }
}

function parsePrimary(stream: TokenStream): Expression {
  const token = stream.peek()
  switch (token.kind) {
    case 'identifier':
      return parseName(stream)
    case 'number':
      stream.next()
      return { kind: 'literal', value: token.value ?? null, position: token.position }
    case 'string':
      stream.next()
      return { kind: 'literal', value: token.text, position: token.position }
    case 'gstring':
      return parseGString(stream)
    case 'keyword':
      return parseKeyword(stream, token)
    default:
      return parseBracketed(stream, token)
  }
}

function parseKeyword(stream: TokenStream, { text, position }: Token): Expression {
  if (PRIMITIVE_NAMES.has(text) || text === 'void') return parseName(stream)
  switch (text) {
    case 'true':
    case 'false':
      stream.next()
      return { kind: 'literal', value: text === 'true', position }
    case 'null':
      stream.next()
      return { kind: 'literal', value: null, position }
    case 'this':
    case 'super':
      stream.next()
      return { kind: text, position }
    case 'new':
      return parseNew(stream)
    case 'switch':
      return parseSwitchExpression(stream)
    default:
      throw stream.unexpected('a value')
  }
}

/** A variable or class; `String[]` before `.class` or `::new` is a class too. */
function parseName(stream: TokenStream): Expression {
  const { text, position } = stream.next()
  let name = text
  while (stream.is('[') && stream.is(']', 1)) {
    stream.next()
    stream.next()
    name += '[]'
  }
  return { kind: 'variable', name, position }
}

function parseBracketed(stream: TokenStream, { text, position }: Token): Expression {
  if (text === '[') return stream.nested(() => parseListOrMap(stream))
  if (text === '{') return parseClosure(stream)
  if (text !== '(') throw stream.unexpected('a value')
  stream.next()
  const inner = stream.nested(() => parseCommandExpression(stream))
  stream.expect(')', 'after the expression in parentheses')
  return inner.kind === 'variable' || inner.kind === 'property' ? { kind: 'bracketed', inner, position } : inner
}

/** `x -> ...`, `(a, int b) -> ...`. */
export function isLambda(stream: TokenStream): boolean {
  if (stream.peek().kind === 'identifier') return stream.is('->', 1)
  if (!stream.is('(')) return false
  const end = closingBracket(stream)
  return end !== null && stream.is('->', end + 1)
}

/** Offset of the bracket that closes the one at `ahead`; null if it is not closed. */
export function closingBracket(stream: TokenStream, ahead = 0): number | null {
  let depth = 0
  for (let at = ahead; ; at++) {
    const token = stream.peek(at)
    if (token.kind === 'end') return null
    if (token.kind !== 'operator') continue
    if (OPENING.has(token.text)) depth += 1
    else if (CLOSING.has(token.text)) depth -= 1
    if (depth === 0) return at
  }
}

const OPENING: ReadonlySet<string> = new Set(['(', '[', '{', '?['])
const CLOSING: ReadonlySet<string> = new Set([')', ']', '}'])

export function parseLambda(stream: TokenStream): ClosureNode {
  const { position } = stream.peek()
  const parameters = stream.is('(') ? parseParameters(stream) : [parseBareParameter(stream)]
  stream.expect('->', 'after the parameters of a lambda')
  stream.skipNewlines()
  const body = stream.nested(() => parseLambdaBody(stream))
  return { kind: 'closure', parameters, body, isLambda: true, position }
}

function parseBareParameter(stream: TokenStream): Parameter {
  const { text, position } = stream.expectName('of a parameter')
  return { name: text, type: null, varargs: false, initial: null, position }
}

function parseLambdaBody(stream: TokenStream) {
  if (stream.is('{')) return parseBlock(stream)
  const expression = parseCommandExpression(stream)
  const { position } = expression
  return { kind: 'block' as const, statements: [{ kind: 'expression' as const, expression, position }], position }
}
