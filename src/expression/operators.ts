import { add, compareNumbers, divide, JsonNumber, multiply, type Numeric, remainder, subtract } from '#json'
import type { BinaryOperator } from './ast.ts'
import { describe, numberOf, toBoolean, toNumber, toText } from './coercion.ts'
import { EvaluationError } from './errors.ts'
import { exposureOf } from './exposed.ts'
import { isMap, isPlainObject, isSet, keysOf, kindOf, sizeOf } from './values.ts'

const maxEqualityDepth = 32

/** The operators that evaluate both operands; `&&` and `||` short-circuit. */
export const strictOperators: Readonly<
  Record<Exclude<BinaryOperator, '&&' | '||'>, (left: unknown, right: unknown) => unknown>
> = {
  '+': (left, right) => add(toNumber(left), toNumber(right)),
  '-': (left, right) => subtract(toNumber(left), toNumber(right)),
  '*': (left, right) => multiply(toNumber(left), toNumber(right)),
  '/': (left, right) => divide(toNumber(left), toNumber(right)),
  '%': (left, right) => remainder(toNumber(left), toNumber(right)),
  '<': (left, right) => compare(left, right, (order) => order < 0),
  '>': (left, right) => compare(left, right, (order) => order > 0),
  '<=': (left, right) => (left === null && right === null) || compare(left, right, (order) => order <= 0),
  '>=': (left, right) => (left === null && right === null) || compare(left, right, (order) => order >= 0),
  '==': (left, right) => equal(left, right),
  '!=': (left, right) => !equal(left, right),
}

/** `empty x`: null, an empty string, list or map. */
export function isEmpty(value: unknown): boolean {
  return value === null || sizeOf(value) === 0
}

/** `a == b` with the coercions of EL: a string is converted to the type of a number or boolean. */
function equal(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (left === null || right === null) return false
  if (isNumber(left) || isNumber(right)) return sameNumber(left, right)
  if (typeof left === 'boolean' || typeof right === 'boolean') return toBoolean(left) === toBoolean(right)
  if (typeof left === 'string' || typeof right === 'string') return toText(left) === toText(right)
  return same(left, right, 0)
}

const isNumber = (value: unknown): value is Numeric | bigint =>
  typeof value === 'number' || value instanceof JsonNumber || typeof value === 'bigint'

function sameNumber(left: unknown, right: unknown): boolean {
  const first = numberOf(left)
  const second = numberOf(right)
  if (first === null || second === null) {
    throw new EvaluationError(`cannot compare ${describe(left)} with ${describe(right)}`)
  }
  return compareNumbers(first, second) === 0
}

/** Compares two values without coercion, lists and maps by content, as `equals` of Java. */
export function same(left: unknown, right: unknown, depth = 0): boolean {
  if (left === right) return true
  if (isNumber(left) && isNumber(right)) return sameNumber(left, right)
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  const first = exposureOf(left)
  const second = exposureOf(right)
  if (first !== undefined || second !== undefined) {
    return first === second && first?.value !== undefined && first.value(left) === first.value(right)
  }
  if (depth > maxEqualityDepth) throw new EvaluationError(`values nested deeper than ${maxEqualityDepth} levels`)
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false
    return left.every((item, index) => same(item, right[index], depth + 1))
  }
  if (isSet(left) || isSet(right)) {
    return isSet(left) && isSet(right) && left.size === right.size && [...left].every((item) => right.has(item))
  }
  if (kindOf(left) !== 'map' || kindOf(right) !== 'map' || sizeOf(left) !== sizeOf(right)) return false
  for (const key of keysOf(left) ?? []) {
    if (!hasEntry(right, key) || !same(entry(left, key), entry(right, key), depth + 1)) return false
  }
  return true
}

function hasEntry(map: object, key: string): boolean {
  return isMap(map) ? map.has(key) : Object.hasOwn(map, key)
}

function entry(map: object, key: string): unknown {
  if (isMap(map)) return map.get(key)
  return isPlainObject(map) ? map[key] : undefined
}

function compare(left: unknown, right: unknown, accept: (order: number) => boolean): boolean {
  if (left === null || right === null) return false
  return accept(order(left, right))
}

/** Compares two values: as numbers if one of them is a number, otherwise as strings by code unit. */
export function order(left: unknown, right: unknown): number {
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0
  if (isNumber(left) || isNumber(right)) {
    const first = numberOf(left)
    const second = numberOf(right)
    if (first !== null && second !== null) return compareNumbers(first, second)
  }
  throw new EvaluationError(`cannot order ${describe(left)} and ${describe(right)}`)
}
