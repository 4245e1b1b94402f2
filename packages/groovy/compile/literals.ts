// GString, list, map and range literals.

import { checkCopy } from '../meter.ts'
import { castFailure } from '../runtime/missing.ts'
import { makeRange } from '../runtime/ranges.ts'
import type { Expression, GStringNode, ListNode, MapNode, RangeNode } from '../syntax/ast.ts'
import { LinkedHashMapClass } from '../values/classes.ts'
import { ListValue, MapValue } from '../values/collection.ts'
import { GStringValue } from '../values/gstring.ts'
import { HashMapValue } from '../values/hash-map.ts'
import { textOf } from '../values/text.ts'
import type { Value } from '../values/value.ts'
import { withValues } from './arguments.ts'
import type { Context } from './context.ts'
import { compileExpression } from './expressions.ts'
import { apply2, applyAll, type Node } from './frame.ts'

export function compileGString({ strings, values }: GStringNode, context: Context): Node {
  const nodes = values.map((each) => compileExpression(each, context))
  return applyAll(nodes, (parts) => new GStringValue(strings, parts))
}

export function compileList({ items }: ListNode, context: Context): Node {
  if (items.length === 0) return () => new ListValue()
  return withValues(items, context, (values) => {
    if (values.length > items.length) checkCopy(values.length)
    return new ListValue(values)
  })
}

export function compileMap({ items }: MapNode, context: Context): Node {
  if (items.length === 0) return () => new HashMapValue()
  const nodes = items.flatMap(({ key, value }) => [compileKey(key, context), compileExpression(value, context)])
  return applyAll(nodes, (values) => {
    const map = new HashMapValue()
    items.forEach(({ key }, index) => {
      const value = values[index * 2 + 1] as Value
      if (key === null) putAll(map, value)
      else map.put(values[index * 2] as Value, value)
    })
    return map
  })
}

function compileKey(key: Expression | null, context: Context): Node {
  return key === null ? () => null : compileExpression(key, context)
}

function putAll(map: HashMapValue, value: Value): void {
  if (value === null) return
  if (!(value instanceof MapValue))
    throw castFailure(value, LinkedHashMapClass, `${textOf(value)} is spread into a map`)
  for (const entry of value.entries()) map.put(entry.key, entry.value)
}

export function compileRange({ from, to, skipFrom, skipTo }: RangeNode, context: Context): Node {
  return apply2(compileExpression(from, context), compileExpression(to, context), (first, last) =>
    makeRange(first, last, skipFrom, skipTo),
  )
}
