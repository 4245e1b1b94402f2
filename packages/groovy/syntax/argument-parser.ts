// Arguments of calls and items of list and map literals, which share one syntax.
import type { Expression, ListNode, MapItem, MapNode } from './ast.ts'
import { parseExpression } from './expression-parser.ts'
import { parseGString } from './string-parser.ts'
import type { Position } from './syntax-error.ts'
import type { TokenStream } from './token-stream.ts'

type Item = { readonly entry: MapItem } | { readonly value: Expression }

/** `(a, b: 1, *c)`: named arguments are collected in a map, the first argument. */
export function parseArguments(stream: TokenStream): Expression[] {
  const { position } = stream.expect('(', 'before arguments')
  const items: Item[] = []
  while (!stream.accept(')')) {
    items.push(parseItem(stream))
    if (!stream.is(')')) stream.expect(',', 'or ) after an argument')
  }
  return gather(items, position)
}

/** Arguments of a command expression: `println a, b: 1`. */
export function parseCommandArguments(stream: TokenStream): Expression[] {
  const { position } = stream.peek()
  const items = [parseItem(stream)]
  while (stream.accept(',')) {
    stream.skipNewlines()
    items.push(parseItem(stream))
  }
  return gather(items, position)
}

function gather(items: readonly Item[], position: Position): Expression[] {
  const entries = items.flatMap((item) => ('entry' in item ? [item.entry] : []))
  const values = items.flatMap((item) => ('value' in item ? [item.value] : []))
  return entries.length === 0 ? values : [{ kind: 'map', items: entries, position }, ...values]
}

/** `[1, *x]`, `[a: 1, (b): 2, *: c]`, `[]`, `[:]`. */
export function parseListOrMap(stream: TokenStream): ListNode | MapNode {
  const { position } = stream.expect('[', 'before items')
  if (stream.accept(':')) {
    stream.expect(']', 'after [:')
    return { kind: 'map', items: [], position }
  }
  const items: Item[] = []
  while (!stream.accept(']')) {
    items.push(parseItem(stream))
    if (!stream.is(']')) stream.expect(',', 'or ] after an item')
  }
  const entries = items.flatMap((item) => ('entry' in item ? [item.entry] : []))
  if (entries.length === 0) return { kind: 'list', items: gather(items, position), position }
  if (entries.length < items.length) {
    throw stream.fail('these brackets contain both list items and map entries', position)
  }
  return { kind: 'map', items: entries, position }
}

function parseItem(stream: TokenStream): Item {
  const token = stream.peek()
  if (stream.is('*')) {
    stream.next()
    if (stream.accept(':')) return { entry: { key: null, value: parseExpression(stream) } }
    return { value: { kind: 'spread', value: parseExpression(stream), position: token.position } }
  }
  const isName = token.kind === 'identifier' || token.kind === 'keyword'
  if ((isName || token.kind === 'string' || token.kind === 'number') && stream.is(':', 1)) {
    stream.next()
    stream.next()
    const value = token.kind === 'number' ? (token.value ?? null) : token.text
    return entry(stream, { kind: 'literal', value, position: token.position })
  }
  if (token.kind === 'gstring' && stream.is(':', 1)) {
    const key = parseGString(stream)
    stream.next()
    return entry(stream, key)
  }
  const value = parseExpression(stream)
  return stream.accept(':') ? entry(stream, value) : { value }
}

function entry(stream: TokenStream, key: Expression): Item {
  stream.skipNewlines()
  return { entry: { key, value: parseExpression(stream) } }
}
