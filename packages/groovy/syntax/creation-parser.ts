import { parseArguments } from './argument-parser.ts'
import type { Expression, TypeNode } from './ast.ts'
import { parseClassBody } from './class-parser.ts'
import { parseExpression } from './expression-parser.ts'
import type { Position } from './syntax-error.ts'
import type { TokenStream } from './token-stream.ts'
import { parseType } from './type-parser.ts'

/** `new X(...)`, `new X() { ... }`, `new int[3]`, `new int[]{1, 2}`. */
export function parseNew(stream: TokenStream): Expression {
  const { position } = stream.expect('new', 'before a class')
  while (stream.peek().kind === 'operator' && stream.is('@'))
    throw stream.fail('annotations of types are not supported here')
  const type = parseType(stream)
  if (type.dimensions > 0) return parseArrayWithItems(stream, type, position)
  if (stream.is('[')) return parseArrayWithSizes(stream, type, position)
  if (!stream.is('(')) throw stream.unexpected(`( or [ after new ${type.name}`)
  const args = parseArguments(stream)
  if (!stream.is('{')) return { kind: 'new', type, args, body: null, position }
  const modifiers = { keywords: new Set<string>(), annotations: [] }
  const body = parseClassBody(stream, {
    form: 'class',
    name: '',
    modifiers,
    parent: type,
    interfaces: [],
    position,
  })
  return { kind: 'new', type, args, body, position }
}

function parseArrayWithSizes(stream: TokenStream, element: TypeNode, position: Position): Expression {
  const sizes: Expression[] = []
  let dimensions = 0
  while (stream.is('[')) {
    stream.next()
    dimensions += 1
    if (stream.accept(']')) continue
    if (dimensions > sizes.length + 1) throw stream.fail('a size can not follow [] without one')
    sizes.push(parseExpression(stream))
    stream.expect(']', 'after the size of an array')
  }
  return { kind: 'newArray', type: { ...element, dimensions }, sizes, items: null, position }
}

function parseArrayWithItems(stream: TokenStream, type: TypeNode, position: Position): Expression {
  stream.skipNewlines()
  if (!stream.is('{')) throw stream.unexpected('{ with the items of the array, or a size in the brackets')
  return { kind: 'newArray', type, sizes: [], items: parseArrayItems(stream), position }
}

/** `{1, 2}`, `{{1}, {2}}`. */
function parseArrayItems(stream: TokenStream): Expression[] {
  stream.expect('{', 'before the items of an array')
  const items: Expression[] = []
  stream.skipNewlines()
  while (!stream.accept('}')) {
    const { position } = stream.peek()
    if (stream.is('{')) {
      items.push({ kind: 'arrayItems', items: stream.nested(() => parseArrayItems(stream)), position })
    } else items.push(parseExpression(stream))
    stream.skipNewlines()
    if (!stream.is('}')) stream.expect(',', 'or } after an item of an array')
    stream.skipNewlines()
  }
  return items
}
