import { IteratorValue, itemsOf } from '../runtime/items.ts'
import { shown } from '../runtime/missing.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { Expression } from '../syntax/ast.ts'
import { classOf } from '../values/class-of.ts'
import { CollectionValue } from '../values/collection.ts'
import { illegalArgument } from '../values/exceptions.ts'
import { ArrayValue } from '../values/java-array.ts'
import type { Value } from '../values/value.ts'
import type { Context } from './context.ts'
import { compileExpression } from './expressions.ts'
import { apply1, applyAll, type Frame, type Node } from './frame.ts'
import { SpreadValues } from './spread.ts'

/** Computes arguments, or items of a list, and applies a function to them. */
export function withValues(
  expressions: readonly Expression[],
  context: Context,
  operation: (values: Value[], frame: Frame) => Maybe,
): Node {
  const spreads = expressions.some(({ kind }) => kind === 'spread')
  const nodes = expressions.map((each) => compileValue(each, context))
  return applyAll(nodes, spreads ? (values, frame) => operation(flatten(values), frame) : operation)
}

function compileValue(expression: Expression, context: Context): Node {
  if (expression.kind !== 'spread') return compileExpression(expression, context)
  return apply1(compileExpression(expression.value, context), (value) => new SpreadValues(spreadItems(value)))
}

function spreadItems(value: Value): readonly Value[] {
  if (value === null) return [null]
  if (value instanceof CollectionValue || value instanceof ArrayValue || value instanceof IteratorValue)
    return itemsOf(value)
  throw illegalArgument(`Cannot spread the type ${classOf(value).name} with value ${shown(value)}`)
}

function flatten(values: readonly Value[]): Value[] {
  return values.flatMap((each) => (each instanceof SpreadValues ? each.items : [each]))
}
