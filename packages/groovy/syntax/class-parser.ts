import { parseArguments } from './argument-parser.ts'
import type { BlockNode, ClassNode, EnumConstant, FieldNode, MethodNode, Modifiers, Position, TypeNode } from './ast.ts'
import { parseCommandExpression } from './expression-parser.ts'
import { closingBracket } from './path-parser.ts'
import { parseBlock, parseParameters, skipSeparators } from './statement-parser.ts'
import type { TokenStream } from './token-stream.ts'
import { parseModifiers, parseType, parseTypeParameters, skipTypeArguments } from './type-parser.ts'

/** The header of a class declaration. */
interface ClassHead {
  readonly form: ClassNode['form']
  readonly name: string
  readonly modifiers: Modifiers
  readonly parent: TypeNode | null
  readonly interfaces: readonly TypeNode[]
  readonly position: Position
}

const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ['trait', 'traits are not supported; use a class or an interface with default methods'],
  ['record', 'records are not supported; use a class with final fields'],
])

/** Whether a class begins here, after its modifiers. */
export function isClass(stream: TokenStream): boolean {
  if (['class', 'interface', 'enum', 'trait'].some((word) => stream.is(word))) return true
  return stream.is('@') || (stream.isWord('record') && stream.peek(1).kind === 'identifier' && stream.is('(', 2))
}

export function parseClass(stream: TokenStream, modifiers: Modifiers): ClassNode {
  const { position } = stream.peek()
  if (stream.is('@')) throw stream.fail('annotations can not be declared in scripts')
  const word = stream.next().text
  const problem = UNSUPPORTED.get(word)
  if (problem !== undefined) throw stream.fail(problem, position)
  const form = word as ClassNode['form']
  const { text: name } = stream.expectName(`of the ${form}`)
  if (stream.is('<')) parseTypeParameters(stream)
  stream.skipNewlines()
  let parent: TypeNode | null = null
  let interfaces: TypeNode[] = []
  if (stream.accept('extends')) {
    const extended = parseTypes(stream)
    if (form === 'interface') interfaces = extended
    else parent = extended[0] as TypeNode
    stream.skipNewlines()
  }
  if (stream.accept('implements')) {
    interfaces = parseTypes(stream)
    stream.skipNewlines()
  }
  return parseClassBody(stream, { form, name, modifiers, parent, interfaces, position })
}

function parseTypes(stream: TokenStream): TypeNode[] {
  const types: TypeNode[] = []
  do {
    stream.skipNewlines()
    types.push(parseType(stream))
  } while (stream.accept(','))
  return types
}

/** Members of a class while it is parsed. */
class Members {
  readonly fields: FieldNode[] = []
  readonly methods: MethodNode[] = []
  readonly initialisers: BlockNode[] = []
  readonly staticInitialisers: BlockNode[] = []
  readonly nested: ClassNode[] = []
  constants: EnumConstant[] = []
}

/** A class body, `{ ... }`. */
export function parseClassBody(stream: TokenStream, head: ClassHead): ClassNode {
  stream.expect('{', `before the members of ${head.name === '' ? 'the class' : head.name}`)
  const members = new Members()
  const outer = stream.switchDepth
  stream.switchDepth = 0
  stream.nested(() => {
    skipSeparators(stream)
    if (head.form === 'enum') members.constants = parseConstants(stream)
    for (skipSeparators(stream); !stream.accept('}'); skipSeparators(stream)) parseMember(stream, head, members)
  })
  stream.switchDepth = outer
  return { kind: 'class', ...head, ...members }
}

function parseConstants(stream: TokenStream): EnumConstant[] {
  const constants: EnumConstant[] = []
  while (stream.peek().kind === 'identifier' && !isMemberStart(stream)) {
    const { text: name, position } = stream.next()
    const args = stream.is('(') ? parseArguments(stream) : []
    if (stream.is('{')) throw stream.fail('enum constants with a body are not supported; use a field or a switch')
    constants.push({ name, args, position })
    stream.skipNewlines()
    if (!stream.accept(',')) break
    stream.skipNewlines()
  }
  return constants
}

/** An enum constant: a name, optionally with arguments. */
function isMemberStart(stream: TokenStream): boolean {
  if (stream.peek(1).kind === 'identifier' || stream.is('<', 1) || stream.is('.', 1)) return true
  const end = stream.is('(', 1) ? closingBracket(stream, 1) : null
  return end !== null && stream.is('{', end + 1)
}

function parseMember(stream: TokenStream, head: ClassHead, members: Members): void {
  const { position } = stream.peek()
  if (stream.is('{')) {
    members.initialisers.push(parseBlock(stream))
    return
  }
  if (stream.is('static') && stream.is('{', 1)) {
    stream.next()
    members.staticInitialisers.push(parseBlock(stream))
    return
  }
  const modifiers = parseModifiers(stream)
  if (isClass(stream)) members.nested.push(parseClass(stream, modifiers))
  else if (stream.isWord(head.name) && stream.is('(', 1)) {
    stream.next()
    members.methods.push(parseMethodRest(stream, modifiers, '<init>', null, position))
  } else if (isMethod(stream, true)) members.methods.push(parseMethod(stream, modifiers))
  else parseFields(stream, modifiers, members)
  endMember(stream)
}

function endMember(stream: TokenStream): void {
  const { kind } = stream.peek()
  if (kind !== 'newline' && !stream.is(';') && !stream.is('}'))
    throw stream.unexpected('the end of the member (a new line or ;)')
}

/**
 * Whether a method begins here, after its modifiers: `name(` or `Type name(`, and a body after the parameter list. Where
 * bodies are optional, the tokens after the list are not checked.
 */
export function isMethod(stream: TokenStream, mayBeAbstract: boolean): boolean {
  return stream.ahead(() => {
    if (stream.is('<')) skipTypeArguments(stream)
    if (!isMethodName(stream)) parseType(stream)
    if (!isMethodName(stream)) return false
    stream.next()
    const end = closingBracket(stream)
    if (end === null) return false
    let at = end + 1
    if (stream.peek(at).kind === 'newline') at += 1
    return mayBeAbstract || stream.is('{', at) || stream.is('throws', at)
  })
}

function isMethodName(stream: TokenStream): boolean {
  const { kind } = stream.peek()
  return (kind === 'identifier' || kind === 'string') && stream.is('(', 1)
}

export function parseMethod(stream: TokenStream, modifiers: Modifiers): MethodNode {
  const { position } = stream.peek()
  if (stream.is('<')) parseTypeParameters(stream)
  const returns = isMethodName(stream) ? null : parseType(stream)
  return parseMethodRest(stream, modifiers, stream.next().text, returns, position)
}

function parseMethodRest(
  stream: TokenStream,
  modifiers: Modifiers,
  name: string,
  returns: TypeNode | null,
  position: Position,
): MethodNode {
  const parameters = parseParameters(stream)
  if (stream.peekPastNewline().text === 'throws') {
    stream.skipNewlines()
    stream.next()
    parseTypes(stream)
  }
  if (stream.peekPastNewline().text === '{' && stream.peekPastNewline().kind === 'operator') stream.skipNewlines()
  const body = stream.is('{') ? parseBlock(stream) : null
  return { kind: 'method', modifiers, name, returns, parameters, body, position }
}

function parseFields(stream: TokenStream, modifiers: Modifiers, { fields }: Members): void {
  const first = stream.peek()
  const isUntyped =
    first.kind === 'identifier' &&
    stream.peek(1).kind !== 'identifier' &&
    !['.', '<', '['].some((sign) => stream.is(sign, 1))
  if (isUntyped && modifiers.keywords.size === 0 && modifiers.annotations.length === 0) {
    throw stream.unexpected('a field, a method or } in this class')
  }
  const type = isUntyped ? null : parseType(stream)
  do {
    stream.skipNewlines()
    const { text: name, position } = stream.expectName('of a field')
    let initial = null
    if (stream.accept('=')) {
      stream.skipNewlines()
      initial = parseCommandExpression(stream)
    }
    fields.push({ kind: 'field', modifiers, name, type, initial, position })
  } while (stream.accept(','))
}
