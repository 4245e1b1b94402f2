// Operators, conditions and casts.
import { castTo } from '../runtime/cast.ts'
import { coerceTo } from '../runtime/coerce.ts'
import { isCase } from '../runtime/is-case.ts'
import { findMatches, matchesEntirely } from '../runtime/matching.ts'
import { binaryOperators, bitwiseNegate, negative, positive } from '../runtime/operators.ts'
import { after, andThen, type Maybe, PENDING } from '../runtime/pending.ts'
import type { BinaryNode, CastNode, InstanceOfNode, TernaryNode, UnaryNode } from '../syntax/ast.ts'
import { classOf } from '../values/class-of.ts'
import { compareValues, identical } from '../values/compare.ts'
import { groovyEquals } from '../values/equality.ts'
import { truth } from '../values/truth.ts'
import type { Value } from '../values/value.ts'
import type { Context } from './context.ts'
import { compileExpression } from './expressions.ts'
import { apply1, apply2, type Node } from './frame.ts'

const COMPARISONS: ReadonlyMap<string, (left: Value, right: Value) => Maybe> = new Map<
  string,
  (left: Value, right: Value) => Maybe
>([
  ['==', groovyEquals],
  ['!=', (left, right) => !groovyEquals(left, right)],
  ['===', identical],
  ['!==', (left, right) => !identical(left, right)],
  ['<=>', (left, right) => Math.sign(compareValues(left, right))],
  ['<', (left, right) => compareValues(left, right) < 0],
  ['<=', (left, right) => compareValues(left, right) <= 0],
  ['>', (left, right) => compareValues(left, right) > 0],
  ['>=', (left, right) => compareValues(left, right) >= 0],
  ['in', (left, right) => isCase(right, left)],
  ['!in', (left, right) => andThen(isCase(right, left), (found) => found !== true)],
  ['=~', findMatches],
  ['==~', matchesEntirely],
])

export function compileBinary({ operator, left, right }: BinaryNode, context: Context): Node {
  const [first, second] = [compileExpression(left, context), compileExpression(right, context)]
  if (operator === '&&') return compileAnd(first, second)
  if (operator === '||') return compileOr(first, second)
  const operation = binaryOperators.get(operator) ?? COMPARISONS.get(operator)
  if (operation === undefined) throw new TypeError(`no operator ${operator}`)
  return apply2(first, second, operation)
}

function compileAnd(first: Node, second: Node): Node {
  const right = apply1(second, truth)
  return (frame) => {
    const left = first(frame)
    if (left === PENDING) return after((late) => truth(late) && right(frame))
    return truth(left) && right(frame)
  }
}

function compileOr(first: Node, second: Node): Node {
  const right = apply1(second, truth)
  return (frame) => {
    const left = first(frame)
    if (left === PENDING) return after((late) => truth(late) || right(frame))
    return truth(left) || right(frame)
  }
}

export function compileUnary({ operator, operand }: UnaryNode, context: Context): Node {
  const node = compileExpression(operand, context)
  switch (operator) {
    case '!':
      return apply1(node, (value) => !truth(value))
    case '-':
      return apply1(node, negative)
    case '+':
      return apply1(node, positive)
    default:
      return apply1(node, bitwiseNegate)
  }
}

export function compileTernary({ condition, yes, no }: TernaryNode, context: Context): Node {
  const test = compileExpression(condition, context)
  const second = compileExpression(no, context)
  if (yes === null) {
    return (frame) => {
      const value = test(frame)
      if (value === PENDING) return after((late) => (truth(late) ? late : second(frame)))
      return truth(value) ? value : second(frame)
    }
  }
  const first = compileExpression(yes, context)
  return (frame) => {
    const value = test(frame)
    if (value === PENDING) return after((late) => (truth(late) ? first(frame) : second(frame)))
    return truth(value) ? first(frame) : second(frame)
  }
}

export function compileCast({ type, value, how }: CastNode, context: Context): Node {
  const klass = context.unit.classOfType(type)
  const convert = how === 'as' ? coerceTo : castTo
  return apply1(compileExpression(value, context), (each) => convert(each, klass))
}

export function compileInstanceOf({ type, value, negated }: InstanceOfNode, context: Context): Node {
  const klass = context.unit.classOfType(type)
  return apply1(compileExpression(value, context), (each) => {
    const isInstance = each !== null && classOf(each).isSubclassOf(klass)
    return isInstance !== negated
  })
}
