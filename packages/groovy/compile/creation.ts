// `new` expressions.

import { checkCopy } from '../meter.ts'
import { arrayOf, castTo } from '../runtime/cast.ts'
import { construct } from '../runtime/invoke.ts'
import type { Expression, NewArrayNode, NewNode } from '../syntax/ast.ts'
import type { ClassInfo } from '../values/class-info.ts'
import { primitives } from '../values/classes.ts'
import { NegativeArraySizeException } from '../values/exceptions.ts'
import { ByteArray, ObjectArray } from '../values/java-array.ts'
import { throwable } from '../values/throwable.ts'
import type { Value } from '../values/value.ts'
import { zeroOf } from '../values/zero.ts'
import { compileAnonymous } from './anonymous.ts'
import { withValues } from './arguments.ts'
import type { Context } from './context.ts'
import { compileExpression } from './expressions.ts'
import { applyAll, type Node } from './frame.ts'

export function compileNew({ type, args, body }: NewNode, context: Context): Node {
  const klass = context.unit.classOfType(type)
  if (body === null && isAbstract(klass, context)) {
    throw context.unit.fail(`${klass.name} is abstract and can not be created with new`, type.position)
  }
  if (body === null) return withValues(args, context, (values) => construct(klass, values))
  const anonymous = compileAnonymous(body, klass, context)
  return withValues(args, context, anonymous)
}

function isAbstract(klass: ClassInfo, { unit }: Context): boolean {
  return klass.kind === 'interface' || unit.userClasses.get(klass)?.node.modifiers.keywords.has('abstract') === true
}

export function compileNewArray({ type, sizes, items }: NewArrayNode, context: Context): Node {
  const klass = context.unit.classOfType(type)
  const component = klass.component as ClassInfo
  if (items !== null) return compileItems(items, component, context)
  return applyAll(
    sizes.map((each) => compileExpression(each, context)),
    (values) =>
      emptyArray(
        klass,
        values.map((each) => castTo(each, primitives.int) as number),
      ),
  )
}

function compileItems(items: readonly Expression[], component: ClassInfo, context: Context): Node {
  const nodes = items.map((each) =>
    each.kind === 'arrayItems'
      ? compileItems(each.items, component.component ?? component, context)
      : compileExpression(each, context),
  )
  return applyAll(nodes, (values) => arrayOf(component, values))
}

/** An array of zeros or nulls; nested arrays for more than one size. */
function emptyArray(klass: ClassInfo, sizes: readonly number[]): Value {
  const [size = 0, ...rest] = sizes
  if (size < 0) throw throwable(NegativeArraySizeException, String(size))
  checkCopy(size)
  const component = klass.component as ClassInfo
  if (component.name === 'byte') return new ByteArray(new Uint8Array(size))
  const empty = zeroOf(component.name)
  return new ObjectArray(
    component,
    Array.from({ length: size }, () => (rest.length > 0 ? emptyArray(component, rest) : empty)),
  )
}
