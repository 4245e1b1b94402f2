// Operators by precedence.

import { BigDecimal } from '../values/big-decimal.ts'
import { BigIntegerValue, DoubleValue, FloatValue } from '../values/numbers.ts'
import type { Value } from '../values/value.ts'
import type { Access, Expression } from './ast.ts'
import { isCommandHead, parseCommand } from './command-parser.ts'
import { closingBracket, isLambda, parseLambda, parsePath } from './path-parser.ts'
import type { Position } from './syntax-error.ts'
import type { TokenStream } from './token-stream.ts'
import type { Token } from './tokens.ts'
import { parseType } from './type-parser.ts'

const ASSIGNMENTS: ReadonlySet<string> = new Set([
  '=',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '**=',
  '<<=',
  '>>=',
  '>>>=',
  '&=',
  '|=',
  '^=',
  '?=',
])

/** Binary operators, lowest precedence first. */
const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['=~', '==~'],
  ['==', '!=', '===', '!==', '<=>'],
  ['<', '<=', '>', '>=', 'in', '!in', 'instanceof', '!instanceof', 'as'],
  ['<<', '>>', '>>>', '..', '..<', '<..', '<..<'],
  ['+', '-'],
  ['*', '/', '%'],
]

const LEVEL_OF: ReadonlyMap<string, number> = new Map(
  LEVELS.flatMap((signs, level) => signs.map((sign) => [sign, level] as const)),
)

/** Operators that are unary at the start of a line, where they begin a new statement. */
const NOT_AFTER_NEWLINE: ReadonlySet<string> = new Set(['+', '-'])

export function parseExpression(stream: TokenStream): Expression {
  return stream.nested(() => parseAssignment(stream))
}

/** An expression, which may be a command expression: `x = foo 1`. */
export function parseCommandExpression(stream: TokenStream): Expression {
  const expression = parseExpression(stream)
  return isCommandHead(expression, stream) ? parseCommand(expression, stream) : expression
}

function parseAssignment(stream: TokenStream): Expression {
  if (isLambda(stream)) return parseLambda(stream)
  const { position } = stream.peek()
  if (stream.is('(') && isTargetList(stream)) {
    const targets = parseTargets(stream)
    stream.skipNewlines()
    return { kind: 'multipleAssign', targets, value: parseCommandExpression(stream), position }
  }
  const target = parseTernary(stream)
  const sign = stream.peekPastNewline()
  if (sign.kind !== 'operator' || !ASSIGNMENTS.has(sign.text)) return target
  if (!isAssignable(target)) throw stream.fail(`the left side of ${sign.text} can not be assigned to`, position)
  stream.skipNewlines()
  stream.next()
  stream.skipNewlines()
  const value = parseCommandExpression(stream)
  return { kind: 'assign', operator: sign.text.slice(0, -1), target, value, position }
}

/** `(a, b) =`. */
function isTargetList(stream: TokenStream): boolean {
  const end = closingBracket(stream)
  return end !== null && stream.is('=', end + 1)
}

function parseTargets(stream: TokenStream): Expression[] {
  stream.next()
  const targets: Expression[] = []
  do {
    const target = parseTernary(stream)
    if (!isAssignable(target)) throw stream.fail('this can not be assigned to', target.position)
    targets.push(target)
  } while (stream.accept(','))
  stream.expect(')', 'after the names of variables')
  stream.expect('=', 'after the names of variables')
  return targets
}

function isAssignable(target: Expression): boolean {
  return target.kind === 'variable' || target.kind === 'property' || target.kind === 'index'
}

/** An expression without assignment, such as a `case` label. */
export function parseTernary(stream: TokenStream): Expression {
  const condition = parseBinary(stream, 0)
  const sign = stream.peekPastNewline()
  if (sign.kind !== 'operator' || (sign.text !== '?' && sign.text !== '?:')) return condition
  stream.skipNewlines()
  stream.next()
  stream.skipNewlines()
  const { position } = condition
  const operatorPosition = sign.position
  if (sign.text === '?:') {
    const no = stream.nested(() => parseBranch(stream))
    return { kind: 'ternary', condition, yes: null, no, operatorPosition, position }
  }
  const yes = stream.nested(() => parseBranch(stream))
  stream.skipNewlines()
  stream.expect(':', 'after the first value of ? :')
  stream.skipNewlines()
  const no = stream.nested(() => parseBranch(stream))
  return { kind: 'ternary', condition, yes, no, operatorPosition, position }
}

function parseBranch(stream: TokenStream): Expression {
  return isLambda(stream) ? parseLambda(stream) : parseAssignment(stream)
}

/** Binary operators from a precedence level up. The result of `as` or `instanceof` can be the left operand of any operator. */
function parseBinary(stream: TokenStream, least: number): Expression {
  let left = parseUnary(stream)
  for (;;) {
    const operator = operatorAhead(stream)
    const level = operator === null ? undefined : LEVEL_OF.get(operator.text)
    if (operator === null || level === undefined || level < least) return left
    stream.skipNewlines()
    for (let taken = 0; taken < operator.tokens; taken++) stream.next()
    stream.skipNewlines()
    left = withRight(stream, left, operator.text, operator.position, level)
  }
}

interface OperatorAhead {
  readonly text: string
  readonly position: Position
  /** Number of tokens: two or three for `>>` and `>>>`. */
  readonly tokens: number
}

function operatorAhead(stream: TokenStream): OperatorAhead | null {
  const afterNewline = stream.peek().kind === 'newline'
  const first = stream.peekPastNewline()
  if (first.kind !== 'operator' && first.kind !== 'keyword') return null
  if (afterNewline && NOT_AFTER_NEWLINE.has(first.text)) return null
  const ahead = afterNewline ? 1 : 0
  let [text, end, tokens] = [first.text, first.end, 1]
  while (first.text === '>' && tokens < 3 && follows(stream.peek(ahead + tokens), end)) {
    text += '>'
    end += 1
    tokens += 1
  }
  return { text, position: first.position, tokens }
}

function follows(token: Token, end: number): boolean {
  return token.text === '>' && token.kind === 'operator' && token.position.offset === end
}

function withRight(
  stream: TokenStream,
  left: Expression,
  operator: string,
  operatorPosition: Position,
  level: number,
): Expression {
  const { position } = left
  if (operator === 'as') {
    return { kind: 'cast', how: 'as', type: parseType(stream), value: left, operatorPosition, position }
  }
  if (operator === 'instanceof' || operator === '!instanceof') {
    const negated = operator === '!instanceof'
    return { kind: 'instanceof', type: parseType(stream), value: left, negated, operatorPosition, position }
  }
  const right = parseBinary(stream, level + 1)
  if (operator.includes('..')) {
    const [skipFrom, skipTo] = [operator.startsWith('<'), operator.endsWith('<')]
    return { kind: 'range', from: left, to: right, skipFrom, skipTo, position }
  }
  return { kind: 'binary', operator, operatorPosition, left, right, position }
}

/** `-x`, `+x`, `++x`, `--x`, with lower precedence than `**`. */
function parseUnary(stream: TokenStream): Expression {
  const token = stream.peek()
  if (token.kind !== 'operator') return parsePower(stream)
  if (token.text === '++' || token.text === '--') {
    stream.next()
    const operand = stream.nested(() => parseUnary(stream))
    return { kind: 'step', operator: token.text, prefix: true, operand, position: token.position }
  }
  if (token.text !== '-' && token.text !== '+') return parsePower(stream)
  stream.next()
  const isNumber = stream.peek().kind === 'number'
  const operand = stream.nested(() => parseUnary(stream))
  const literal = isNumber && token.text === '-' ? negatedLiteral(operand) : null
  if (literal !== null) return { kind: 'literal', value: literal, position: token.position }
  return { kind: 'unary', operator: token.text, operand, position: token.position }
}

/** `-2147483648` is an int, although 2147483648 is not. */
function negatedLiteral(operand: Expression): Value | null {
  if (operand.kind !== 'literal') return null
  const { value } = operand
  if (typeof value === 'number') return -value | 0
  if (typeof value === 'bigint') return value === 2147483648n ? -2147483648 : BigInt.asIntN(64, -value)
  if (value instanceof BigIntegerValue) {
    return value.value === 2n ** 63n ? -(2n ** 63n) : new BigIntegerValue(-value.value)
  }
  if (value instanceof BigDecimal) return value.negate()
  if (value instanceof DoubleValue) return new DoubleValue(-value.value)
  return value instanceof FloatValue ? new FloatValue(-value.value) : null
}

function parsePower(stream: TokenStream): Expression {
  let left = parsePrefix(stream)
  while (stream.is('**')) {
    const { position: operatorPosition } = stream.next()
    stream.skipNewlines()
    // The exponent may have a sign.
    const signed = stream.is('-') || stream.is('+')
    const right = signed ? parseUnary(stream) : parsePrefix(stream)
    left = { kind: 'binary', operator: '**', operatorPosition, left, right, position: left.position }
  }
  return left
}

/** `!x`, `~x`, `(Type) x`. */
function parsePrefix(stream: TokenStream): Expression {
  const token = stream.peek()
  if (token.kind === 'operator' && (token.text === '!' || token.text === '~')) {
    stream.next()
    stream.skipNewlines()
    const operand = stream.nested(() => parsePrefix(stream))
    return { kind: 'unary', operator: token.text, operand, position: token.position }
  }
  const type = stream.is('(') ? stream.attempt(() => parseCastType(stream)) : null
  if (type !== null) {
    const value = stream.nested(() => parseCastOperand(stream))
    return { kind: 'cast', how: 'cast', type, value, operatorPosition: token.position, position: token.position }
  }
  return parsePath(stream)
}

function parseCastOperand(stream: TokenStream): Expression {
  if (isLambda(stream)) return parseLambda(stream)
  return stream.is('-') || stream.is('+') || stream.is('++') || stream.is('--')
    ? parseUnary(stream)
    : parsePrefix(stream)
}

/** The type of a cast, `(Type) value`; a lower-case name in parentheses is a variable. */
function parseCastType(stream: TokenStream) {
  stream.next()
  const type = parseType(stream)
  if (!stream.accept(')')) return null
  const last = type.name.slice(type.name.lastIndexOf('.') + 1)
  const isPrimitive = PRIMITIVE.test(type.name)
  if (!isPrimitive && type.dimensions === 0 && !/^\p{Lu}/u.test(last)) return null
  // `(MAX) - 1` subtracts, `(Integer) -1` casts.
  return beginsOperand(stream.peek(), isPrimitive || /\p{Ll}/u.test(last)) ? type : null
}

const PRIMITIVE = /^(?:boolean|byte|char|double|float|int|long|short)$/
const OPERAND_SIGNS: ReadonlySet<string> = new Set(['(', '[', '{', '!', '~'])
const SIGNS: ReadonlySet<string> = new Set(['+', '-', '++', '--'])
const OPERAND_WORDS: ReadonlySet<string> = new Set(['this', 'super', 'new', 'null', 'true', 'false', 'switch'])

function beginsOperand(token: Token, mayHaveSign: boolean): boolean {
  switch (token.kind) {
    case 'identifier':
    case 'number':
    case 'string':
    case 'gstring':
      return true
    case 'keyword':
      return OPERAND_WORDS.has(token.text) || PRIMITIVE.test(token.text)
    case 'operator':
      return OPERAND_SIGNS.has(token.text) || (mayHaveSign && SIGNS.has(token.text))
    default:
      return false
  }
}

export const ACCESS: ReadonlyMap<string, Access> = new Map<string, Access>([
  ['.', 'plain'],
  ['?.', 'safe'],
  ['??.', 'safe'],
  ['*.', 'spread'],
  ['.@', 'field'],
  ['?.@', 'safeField'],
  ['*.@', 'spreadField'],
])

/** `.@name`, `?.@name` and `*.@name` name a field, which is not called. */
export function isFieldAccess(access: Access): boolean {
  return access === 'field' || access === 'safeField' || access === 'spreadField'
}
