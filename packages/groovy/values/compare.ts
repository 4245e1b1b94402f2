// `<=>` and the operators that are based on it.
import { SMALL, spend, tick } from '../meter.ts'
import { settled } from '../runtime/pending.ts'
import { classOf } from './class-of.ts'
import { ComparableInterface } from './classes.ts'
import { ClassCastException, illegalArgument, nullPointer } from './exceptions.ts'
import { GStringValue } from './gstring.ts'
import { naturalOrder } from './hash-map.ts'
import {
  BIG_DECIMAL,
  FLOATING,
  INT,
  NOT_A_NUMBER,
  numberRank,
  toBigDecimal,
  toBigInt,
  toDouble,
  toInt,
} from './number-tower.ts'
import { CharValue } from './numbers.ts'
import { javaText, textOf } from './text.ts'
import { ThrowableValue, throwable } from './throwable.ts'
import { GroovyObject, type Value } from './value.ts'

/** Compares two numbers of any types. */
export function compareNumbers(left: Value, right: Value): number {
  const rank = Math.max(numberRank(left), numberRank(right))
  if (rank <= INT) return sign(toInt(left) - toInt(right))
  if (rank === FLOATING) return compareDoubles(toDouble(left), toDouble(right))
  spendOn(left)
  spendOn(right)
  if (rank === BIG_DECIMAL) return toBigDecimal(left).compareTo(toBigDecimal(right))
  const [a, b] = [toBigInt(left), toBigInt(right)]
  return a < b ? -1 : a > b ? 1 : 0
}

function spendOn(number: Value): void {
  if (number instanceof GroovyObject && number.weight > 0) spend(number.weight)
}

/** As `Double.compare`: NaN is the greatest, and -0.0 is less than 0.0. */
export function compareDoubles(left: number, right: number): number {
  if (left < right) return -1
  if (left > right) return 1
  if (left === right && left !== 0) return 0
  if (Number.isNaN(left) || Number.isNaN(right)) return Number(Number.isNaN(left)) - Number(Number.isNaN(right))
  return Number(Object.is(right, -0)) - Number(Object.is(left, -0))
}

/** Whether two values are identical; for texts, whether they are equal. */
export function identical(left: Value, right: Value): boolean {
  return typeof left === 'string' && typeof right === 'string' ? sameText(left, right) : left === right
}

function sameText(left: string, right: string): boolean {
  if (left.length !== right.length) return false
  if (left.length > SMALL) spend(left.length)
  return left === right
}

/** As `String.compareTo`: the difference of the first characters that differ, else of the lengths. */
export function compareTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  if (length > SMALL) spend(length)
  for (let index = 0; index < length; index++) {
    const difference = left.charCodeAt(index) - right.charCodeAt(index)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

function sign(number: number): number {
  return number < 0 ? -1 : number > 0 ? 1 : 0
}

/** `left <=> right`; null is less than anything. */
export function compareValues(left: Value, right: Value): number {
  if (typeof left === 'number' && typeof right === 'number') return left < right ? -1 : left > right ? 1 : 0
  tick()
  if (identical(left, right)) return 0
  if (left === null) return -1
  if (right === null) return 1
  const outcome = compareKnown(left, right) ?? compareObjects(left, right)
  if (outcome !== null) return outcome
  throw illegalArgument(
    `Cannot compare ${classOf(left).name} with value '${textOf(left)}' and ${classOf(right).name} with value '${textOf(right)}'`,
  )
}

/** As `compareValues` for `==`: null instead of an exception if the values are not comparable. */
export function compareForEquality(left: Value, right: Value): number | null {
  const outcome = compareKnown(left, right)
  if (outcome !== null) return outcome
  try {
    return compareObjects(left, right)
  } catch (error) {
    if (error instanceof ThrowableValue && error.klass.isSubclassOf(ClassCastException)) return null
    throw error
  }
}

function compareKnown(left: Value, right: Value): number | null {
  if (numberRank(left) !== NOT_A_NUMBER) {
    if (numberRank(right) !== NOT_A_NUMBER) return compareNumbers(left, right)
    const code = characterCode(right)
    return code === null ? null : compareNumbers(left, code)
  }
  if (left instanceof CharValue) {
    const code = characterCode(right)
    if (code !== null) return left.code - code
    if (numberRank(right) !== NOT_A_NUMBER) return compareNumbers(left.code, right)
    return typeof right === 'string' || right instanceof GStringValue ? compareTexts(left.text, textOf(right)) : null
  }
  // A GString is compared with any value, by their text.
  if (left instanceof GStringValue) return compareTexts(textOf(left), javaText(right))
  if (numberRank(right) !== NOT_A_NUMBER) {
    const code = typeof left === 'string' ? characterCode(left) : null
    return code === null ? null : compareNumbers(code, right)
  }
  if (typeof left === 'string') {
    if (typeof right === 'string') return compareTexts(left, right)
    if (right instanceof GStringValue || right instanceof CharValue) return compareTexts(left, textOf(right))
    return null
  }
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right)
  return null
}

function characterCode(value: Value): number | null {
  if (value instanceof CharValue) return value.code
  return typeof value === 'string' && value.length === 1 ? value.charCodeAt(0) : null
}

/** The result of `compareTo` of the left value. */
function compareObjects(left: Value, right: Value): number | null {
  const klass = classOf(left)
  if (typeof left !== 'object' || left instanceof CharValue || numberRank(left) !== NOT_A_NUMBER) return null
  if (!klass.isSubclassOf(ComparableInterface)) return null
  const outcome = klass.method('compareTo')?.tryInvoke(left, [right])
  if (outcome === undefined) return null
  const number = settled(outcome, 'compareTo')
  return typeof number === 'number' ? number : 0
}

/** As `compareTo` of Java: only values of the same class are comparable. */
export function naturalCompare(left: Value, right: Value): number {
  tick()
  if (left === null || right === null) throw nullPointer(null)
  const [own, other] = [classOf(left), classOf(right)]
  if (own !== other && !own.isSubclassOf(other) && !other.isSubclassOf(own)) {
    throw throwable(ClassCastException, `class ${own.name} cannot be cast to class ${other.name}`)
  }
  const outcome = compareKnown(left, right) ?? compareObjects(left, right)
  if (outcome === null)
    throw throwable(ClassCastException, `class ${own.name} cannot be cast to class java.lang.Comparable`)
  return outcome
}

naturalOrder.compare = naturalCompare
