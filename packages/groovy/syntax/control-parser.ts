// for, switch and try.
import type { CatchClause, DeclaredVariable, Expression, Statement, SwitchCase, SwitchNode, TypeNode } from './ast.ts'
import { isDeclaration, parseDeclaration } from './declaration-parser.ts'
import { parseCommandExpression, parseExpression, parseTernary } from './expression-parser.ts'
import {
  endStatement,
  parseBlock,
  parseBody,
  parseCondition,
  parseStatement,
  skipSeparators,
} from './statement-parser.ts'
import type { TokenStream } from './token-stream.ts'
import { parseModifiers, parseType } from './type-parser.ts'

export function parseFor(stream: TokenStream): Statement {
  const { position } = stream.next()
  stream.expect('(', 'after for')
  const variable = stream.attempt(() => parseLoopVariable(stream))
  if (variable !== null) {
    const items = parseExpression(stream)
    stream.expect(')', 'after the iterated value of for')
    return { kind: 'forIn', variable, items, body: parseBody(stream), position }
  }
  const initial = parseInitial(stream)
  stream.expect(';', 'after the first part of for')
  const condition = stream.is(';') ? null : parseExpression(stream)
  stream.expect(';', 'after the condition of for')
  const update: Expression[] = []
  while (!stream.accept(')')) {
    update.push(parseExpression(stream))
    if (!stream.is(')')) stream.expect(',', 'or ) in the last part of for')
  }
  return { kind: 'for', initial, condition, update, body: parseBody(stream), position }
}

/** `x in`, `def x :`, `final String x in`. */
function parseLoopVariable(stream: TokenStream): DeclaredVariable | null {
  parseModifiers(stream)
  const isBare = stream.peek().kind === 'identifier' && (stream.is('in', 1) || stream.is(':', 1))
  const type = isBare ? null : parseType(stream)
  const { text: name, position } = stream.expectName('of a variable')
  return stream.accept('in') || stream.accept(':') ? { name, type, initial: null, position } : null
}

function parseInitial(stream: TokenStream): Statement[] {
  if (stream.is(';')) return []
  if (isDeclaration(stream)) return [parseDeclaration(stream, parseModifiers(stream))]
  const statements: Statement[] = []
  do {
    const expression = parseExpression(stream)
    statements.push({ kind: 'expression', expression, position: expression.position })
  } while (stream.accept(','))
  return statements
}

export function parseSwitch(stream: TokenStream): SwitchNode {
  const { position } = stream.next()
  const value = parseCondition(stream, 'switch')
  stream.skipNewlines()
  stream.expect('{', 'before the cases of switch')
  const cases: SwitchCase[] = []
  for (skipSeparators(stream); !stream.accept('}'); skipSeparators(stream)) {
    cases.push(stream.nested(() => parseCase(stream)))
  }
  return { kind: 'switch', value, cases, position }
}

function parseCase(stream: TokenStream): SwitchCase {
  const { position } = stream.peek()
  const labels: Expression[] = []
  if (stream.accept('case')) {
    do {
      stream.skipNewlines()
      labels.push(parseTernary(stream))
    } while (stream.accept(','))
  } else if (!stream.accept('default')) throw stream.unexpected('case, default or } in this switch')
  const isArrow = stream.accept('->')
  if (!isArrow) stream.expect(':', 'or -> after the label of a case')
  return { labels, body: isArrow ? parseArrowBody(stream) : parseCaseBody(stream), isArrow, position }
}

function parseArrowBody(stream: TokenStream): Statement[] {
  stream.skipNewlines()
  const statement = parseStatement(stream)
  endStatement(stream)
  return [statement]
}

function parseCaseBody(stream: TokenStream): Statement[] {
  const statements: Statement[] = []
  for (skipSeparators(stream); !stream.is('}') && !isCaseStart(stream); ) {
    statements.push(parseStatement(stream))
    if (!stream.is('}')) endStatement(stream)
  }
  return statements
}

function isCaseStart(stream: TokenStream): boolean {
  return stream.is('case') || (stream.is('default') && (stream.is(':', 1) || stream.is('->', 1)))
}

export function parseTry(stream: TokenStream): Statement {
  const { position } = stream.next()
  const resources = stream.is('(') ? parseResources(stream) : []
  stream.skipNewlines()
  const body = parseBlock(stream)
  const catches: CatchClause[] = []
  while (nextIs(stream, 'catch')) catches.push(parseCatch(stream))
  const last = nextIs(stream, 'finally')
  if (last) {
    stream.skipNewlines()
    stream.next()
    stream.skipNewlines()
  }
  if (!last && catches.length === 0 && resources.length === 0) throw stream.unexpected('catch or finally after try')
  return { kind: 'try', resources, body, catches, finally: last ? parseBlock(stream) : null, position }
}

function nextIs(stream: TokenStream, word: string): boolean {
  const token = stream.peekPastNewline()
  return token.kind === 'keyword' && token.text === word
}

function parseResources(stream: TokenStream): Statement[] {
  stream.next()
  const resources: Statement[] = []
  do {
    if (stream.is(')')) break
    if (isDeclaration(stream)) resources.push(parseDeclaration(stream, parseModifiers(stream)))
    else {
      const expression = parseCommandExpression(stream)
      resources.push({ kind: 'expression', expression, position: expression.position })
    }
  } while (stream.accept(';'))
  stream.expect(')', 'after the resources of try')
  return resources
}

function parseCatch(stream: TokenStream): CatchClause {
  stream.skipNewlines()
  const { position } = stream.next()
  stream.skipNewlines()
  stream.expect('(', 'after catch')
  parseModifiers(stream)
  const types: TypeNode[] = []
  if (!(stream.peek().kind === 'identifier' && stream.is(')', 1))) {
    do types.push(parseType(stream))
    while (stream.accept('|'))
  }
  const { text: name } = stream.expectName('of the caught exception')
  stream.expect(')', 'after the name of the caught exception')
  stream.skipNewlines()
  return { types, name, body: parseBlock(stream), position }
}
