import type { BlockNode, ClosureNode, Expression, Parameter, Statement, SwitchExpressionNode } from './ast.ts'
import { parseFor, parseSwitch, parseTry } from './control-parser.ts'
import { isDeclaration, parseDeclaration } from './declaration-parser.ts'
import { parseCommandExpression, parseExpression } from './expression-parser.ts'
import { closingBracket } from './path-parser.ts'
import type { TokenStream } from './token-stream.ts'
import type { Token } from './tokens.ts'
import { parseModifiers, parseType } from './type-parser.ts'

/** Statements up to the end of the stream. */
export function parseStatements(stream: TokenStream): Statement[] {
  const statements: Statement[] = []
  for (skipSeparators(stream); stream.peek().kind !== 'end'; ) {
    statements.push(parseStatement(stream))
    endStatement(stream)
  }
  return statements
}

export function skipSeparators(stream: TokenStream): void {
  while (stream.peek().kind === 'newline' || stream.is(';')) stream.next()
}

/** A statement ends with its line, a semicolon, or the block around it. */
export function endStatement(stream: TokenStream): void {
  const token = stream.peek()
  if (token.kind === 'newline' || token.kind === 'end' || stream.is(';')) {
    skipSeparators(stream)
    return
  }
  if (stream.is('}') || stream.is('else') || stream.is('case') || stream.is('default')) return
  throw stream.unexpected('the end of the statement (a new line or ;)')
}

/** `{ ... }`. */
export function parseBlock(stream: TokenStream): BlockNode {
  const { position } = stream.expect('{', 'before a block')
  const statements = stream.nested(() => parseUntilBrace(stream))
  return { kind: 'block', statements, position }
}

function parseUntilBrace(stream: TokenStream): Statement[] {
  const statements: Statement[] = []
  for (skipSeparators(stream); !stream.accept('}'); ) {
    statements.push(parseStatement(stream))
    if (!stream.is('}')) endStatement(stream)
  }
  return statements
}

export function parseStatement(stream: TokenStream): Statement {
  return stream.nested(() => parseOne(stream))
}

/** A statement after `if (...)`, `else` or a loop, which may be on the next line. */
export function parseBody(stream: TokenStream): Statement {
  stream.skipNewlines()
  if (stream.is(';')) return { kind: 'block', statements: [], position: stream.peek().position }
  return parseStatement(stream)
}

function parseOne(stream: TokenStream): Statement {
  const token = stream.peek()
  if (stream.is('{') && !hasParameters(stream) && !isCalledClosure(stream)) return parseBlock(stream)
  if (token.kind === 'keyword') {
    const statement = parseKeywordStatement(stream, token)
    if (statement !== null) return statement
  }
  if (token.kind === 'identifier') {
    if (stream.is(':', 1)) return parseLabel(stream)
    if (token.text === 'yield' && stream.switchDepth > 0 && !stream.is('=', 1) && !stream.is('.', 1)) {
      stream.next()
      return { kind: 'yield', value: parseCommandExpression(stream), position: token.position }
    }
  }
  if (isDeclaration(stream)) return parseDeclaration(stream, parseModifiers(stream))
  const expression = parseCommandExpression(stream)
  return { kind: 'expression', expression, position: token.position }
}

/** `{ ... }(1)` and `{ ... }.call()` begin with a closure, `{ ... }` alone is a block. */
function isCalledClosure(stream: TokenStream): boolean {
  const end = closingBracket(stream)
  return end !== null && ['(', '.', '?.', '*.', '.&', '::'].some((sign) => stream.is(sign, end + 1))
}

function parseKeywordStatement(stream: TokenStream, { text, position }: Token): Statement | null {
  switch (text) {
    case 'if':
      return parseIf(stream)
    case 'while': {
      stream.next()
      const condition = parseCondition(stream, 'while')
      return { kind: 'while', condition, body: parseBody(stream), position }
    }
    case 'do':
      return parseDoWhile(stream)
    case 'for':
      return parseFor(stream)
    case 'switch':
      return parseSwitch(stream)
    case 'try':
      return parseTry(stream)
    case 'return':
      stream.next()
      return { kind: 'return', value: endsHere(stream) ? null : parseExpression(stream), position }
    case 'throw':
      stream.next()
      return { kind: 'throw', value: parseExpression(stream), position }
    case 'break':
    case 'continue': {
      stream.next()
      const label = stream.peek().kind === 'identifier' ? stream.next().text : null
      return { kind: text, label, position }
    }
    case 'assert':
      return parseAssert(stream)
    case 'synchronized':
      if (!stream.is('(', 1)) return null
      stream.next()
      parseCondition(stream, 'synchronized')
      stream.skipNewlines()
      return parseBlock(stream)
    case 'goto':
    case 'const':
      throw stream.fail(`${text} is a reserved word`)
    case 'class':
    case 'interface':
    case 'enum':
    case 'trait':
      throw stream.fail(`a ${text} can be declared only at the top of a script or within a class`)
    case 'import':
      throw stream.fail('an import is allowed only at the top of a script')
    default:
      return null
  }
}

function endsHere(stream: TokenStream): boolean {
  const { kind } = stream.peek()
  return kind === 'newline' || kind === 'end' || stream.is(';') || stream.is('}')
}

/** `(condition)`. */
export function parseCondition(stream: TokenStream, word: string): Expression {
  stream.skipNewlines()
  stream.expect('(', `after ${word}`)
  const condition = parseCommandExpression(stream)
  stream.expect(')', `after the condition of ${word}`)
  return condition
}

function parseIf(stream: TokenStream): Statement {
  const { position } = stream.next()
  const condition = parseCondition(stream, 'if')
  const yes = parseBody(stream)
  const hasElse = stream.attempt(() => {
    skipSeparators(stream)
    return stream.accept('else') ? true : null
  })
  return { kind: 'if', condition, yes, no: hasElse === null ? null : parseBody(stream), position }
}

function parseDoWhile(stream: TokenStream): Statement {
  const { position } = stream.next()
  const body = parseBody(stream)
  skipSeparators(stream)
  stream.expect('while', 'after the body of do')
  return { kind: 'doWhile', condition: parseCondition(stream, 'while'), body, position }
}

function parseLabel(stream: TokenStream): Statement {
  const { text, position } = stream.next()
  stream.next()
  stream.skipNewlines()
  return { kind: 'label', label: text, body: parseStatement(stream), position }
}

function parseAssert(stream: TokenStream): Statement {
  const { position } = stream.next()
  const textPosition = stream.peek().position
  const condition = parseExpression(stream)
  const text = stream.text.slice(textPosition.offset, stream.previousEnd)
  let message: Expression | null = null
  if (stream.is(':') || stream.is(',')) {
    stream.next()
    stream.skipNewlines()
    message = parseExpression(stream)
  }
  return { kind: 'assert', condition, message, text, textPosition, position }
}

/** `{ a, b -> ... }`, `{ ... }`. */
export function parseClosure(stream: TokenStream): ClosureNode {
  const { position } = stream.peek()
  const withList = hasParameters(stream)
  stream.expect('{', 'before a closure')
  stream.skipNewlines()
  let parameters: Parameter[] | null = null
  if (withList) {
    parameters = stream.is('->') ? [] : parseParameterList(stream)
    stream.skipNewlines()
    stream.expect('->', 'after the parameters of a closure')
  }
  const outer = stream.switchDepth
  stream.switchDepth = 0
  const statements = stream.nested(() => parseUntilBrace(stream))
  stream.switchDepth = outer
  return { kind: 'closure', parameters, body: { kind: 'block', statements, position }, isLambda: false, position }
}

/** `-> value`: the closure of a lazy GString expression. */
export function parseParameterlessClosure(stream: TokenStream): ClosureNode {
  const { position } = stream.expect('->', 'before the value')
  const body = { kind: 'block' as const, statements: parseStatements(stream), position }
  return { kind: 'closure', parameters: [], body, isLambda: false, position }
}

/** Whether `{` begins a closure with parameters: an arrow follows before the end of the line or a closing bracket. */
function hasParameters(stream: TokenStream): boolean {
  let depth = 0
  let afterComma = true
  for (let ahead = 1; ; ahead++) {
    const token = stream.peek(ahead)
    if (token.kind === 'end') return false
    if (token.kind === 'newline') {
      if (depth === 0 && !afterComma && !stream.is('->', ahead + 1)) return false
      continue
    }
    afterComma = token.text === ',' && token.kind === 'operator'
    if (token.kind === 'keyword' && STATEMENT_WORDS.has(token.text) && depth === 0) return false
    if (token.kind !== 'operator') continue
    if (token.text === '->' && depth === 0) return isParameterStart(stream)
    if (token.text === ';' && depth === 0) return false
    if (OPENING.has(token.text)) depth += 1
    else if (CLOSING.has(token.text)) depth -= 1
    if (depth < 0) return false
  }
}

const OPENING: ReadonlySet<string> = new Set(['(', '[', '{', '?['])
const CLOSING: ReadonlySet<string> = new Set([')', ']', '}'])
const STATEMENT_WORDS: ReadonlySet<string> = new Set(['return', 'if', 'throw', 'switch', 'for', 'while', 'try', 'new'])

/** `{ (a, b) -> ...` is a lambda in a closure, `{ a.b x -> ...` a command expression with a lambda. */
function isParameterStart(stream: TokenStream): boolean {
  return stream.ahead(() => {
    stream.next()
    stream.skipNewlines()
    if (stream.is('->')) return true
    parseModifiers(stream)
    if (isTypeBefore(stream) || stream.peek().kind === 'keyword') parseType(stream)
    stream.accept('...')
    stream.expectName('of a parameter')
    stream.skipNewlines()
    return stream.is(',') || stream.is('->') || stream.is('=')
  })
}

/** `(int a, b = 2, String... c)`. */
export function parseParameters(stream: TokenStream): Parameter[] {
  stream.expect('(', 'before parameters')
  const parameters = stream.is(')') ? [] : parseParameterList(stream)
  stream.expect(')', 'after parameters')
  return parameters
}

function parseParameterList(stream: TokenStream): Parameter[] {
  const parameters: Parameter[] = []
  do {
    stream.skipNewlines()
    parameters.push(parseParameter(stream))
  } while (stream.accept(','))
  return parameters
}

function parseParameter(stream: TokenStream): Parameter {
  parseModifiers(stream)
  const isBare = stream.peek().kind === 'identifier' && !isTypeBefore(stream)
  const type = isBare ? null : parseType(stream)
  const varargs = stream.accept('...')
  const { text: name, position } = stream.expectName('of a parameter')
  const initial = stream.accept('=') ? parseExpression(stream) : null
  return { name, type, varargs, initial, position }
}

/** A name followed by a name, type arguments, brackets or a dot is a type. */
function isTypeBefore(stream: TokenStream): boolean {
  return stream.peek(1).kind === 'identifier' || ['.', '<', '[', '...'].some((sign) => stream.is(sign, 1))
}

/** `switch (x) { case 1 -> 'a' ... }` as a value. */
export function parseSwitchExpression(stream: TokenStream): SwitchExpressionNode {
  const { position } = stream.peek()
  stream.switchDepth += 1
  const body = parseSwitch(stream)
  stream.switchDepth -= 1
  return { kind: 'switchExpression', body, position }
}
