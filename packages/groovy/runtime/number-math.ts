// Arithmetic on numbers of any types, as Groovy's NumberMath does it: the higher rank of the two determines the type.

import { bitsOf, checkBits, spend } from '../meter.ts'
import type { BigDecimal } from '../values/big-decimal.ts'
import { classOf } from '../values/class-of.ts'
import { arithmetic, GroovyRuntimeException, nullPointer, unsupported } from '../values/exceptions.ts'
import {
  BIG_DECIMAL,
  BIG_INTEGER,
  FLOATING,
  INT,
  LONG,
  NOT_A_NUMBER,
  numberRank,
  numericRank,
  smallestInteger,
  toBigDecimal,
  toBigInt,
  toDouble,
  toInt,
  toLong,
} from '../values/number-tower.ts'
import { BigIntegerValue, DoubleValue, FloatValue } from '../values/numbers.ts'
import { textOf } from '../values/text.ts'
import { type ThrowableValue, throwable } from '../values/throwable.ts'
import { GroovyObject, type Value } from '../values/value.ts'

/** One operation at each rank. */
interface Operation {
  int(left: number, right: number): Value
  big(left: bigint, right: bigint): bigint
  /** For numbers of any size. */
  whole(left: bigint, right: bigint): bigint
  decimal(left: BigDecimal, right: BigDecimal): Value
  double(left: number, right: number): number
}

function perform(operation: Operation, left: Value, right: Value): Value {
  switch (Math.max(numericRank(left), numericRank(right))) {
    case INT:
      return operation.int(toInt(left), toInt(right))
    case LONG:
      return BigInt.asIntN(64, operation.big(toBigInt(left), toBigInt(right)))
    case BIG_INTEGER:
      spendOn(left, right)
      return new BigIntegerValue(bounded(operation.whole(toBigInt(left), toBigInt(right))))
    case BIG_DECIMAL:
      spendOn(left, right)
      return operation.decimal(toBigDecimal(left), toBigDecimal(right))
    default:
      return new DoubleValue(operation.double(toDouble(left), toDouble(right)))
  }
}

/** The number of bits, for a limit of the result. */
function bits(number: bigint): number {
  return Math.max(bitsOf(number), 64)
}

function bounded(number: bigint): bigint {
  const size = bitsOf(number)
  if (size > 0) checkBits(size)
  return number
}

/** Counts an operation with large numbers. */
function spendOn(left: Value, right: Value): void {
  const size = weightOf(left) + weightOf(right)
  if (size > 0) spend(size)
}

function weightOf(number: Value): number {
  return number instanceof GroovyObject ? number.weight : 0
}

const addition: Operation = {
  int: (a, b) => (a + b) | 0,
  big: (a, b) => a + b,
  whole: (a, b) => a + b,
  decimal: (a, b) => a.plus(b),
  double: (a, b) => a + b,
}
const subtraction: Operation = {
  int: (a, b) => (a - b) | 0,
  big: (a, b) => a - b,
  whole: (a, b) => a - b,
  decimal: (a, b) => a.minus(b),
  double: (a, b) => a - b,
}
const multiplication: Operation = {
  int: (a, b) => Math.imul(a, b),
  big: (a, b) => a * b,
  whole: (a, b) => {
    checkBits(bits(a) + bits(b))
    return a * b
  },
  decimal: (a, b) => a.times(b),
  double: (a, b) => a * b,
}
const remainder: Operation = {
  int: (a, b) => {
    if (b === 0) throw arithmetic('/ by zero')
    return (a % b) | 0
  },
  big: (a, b) => {
    if (b === 0n) throw arithmetic('/ by zero')
    return a % b
  },
  // The remainder of a BigInteger is never negative.
  whole: (a, b) => {
    if (b <= 0n) throw arithmetic('BigInteger: modulus not positive')
    return ((a % b) + b) % b
  },
  decimal: (a, b) => {
    if (b.sign === 0) throw arithmetic('Division by zero')
    return a.remainder(b)
  },
  double: (a, b) => a % b,
}

export const addNumbers = (left: Value, right: Value): Value => perform(addition, left, right)
export const subtractNumbers = (left: Value, right: Value): Value => perform(subtraction, left, right)
export const multiplyNumbers = (left: Value, right: Value): Value => perform(multiplication, left, right)
export const remainderOf = (left: Value, right: Value): Value => perform(remainder, left, right)

const EXTRA_PRECISION = 10
const MIN_SCALE = 10

/** `/`: integers and decimals return a decimal, with ten decimal places if the quotient does not terminate. */
export function divideNumbers(left: Value, right: Value): Value {
  if (Math.max(numericRank(left), numericRank(right)) === FLOATING) {
    return new DoubleValue(toDouble(left) / toDouble(right))
  }
  spendOn(left, right)
  const [top, bottom] = [toBigDecimal(left), toBigDecimal(right)]
  if (bottom.sign === 0) throw arithmetic(top.sign === 0 ? 'Division undefined' : 'Division by zero')
  const exact = top.divideExactly(bottom)
  if (exact !== null) return exact
  const precision = Math.max(top.precision, bottom.precision) + EXTRA_PRECISION
  const quotient = top.divideToPrecision(bottom, precision, 'HALF_UP')
  const scale = Math.max(top.scale, bottom.scale, MIN_SCALE)
  return quotient.scale > scale ? quotient.withScale(scale, 'HALF_UP') : quotient
}

/** `intdiv`: the quotient of two integers, truncated. */
export function divideIntegers(left: Value, right: Value): Value {
  const rank = Math.max(numericRank(left), numericRank(right))
  if (rank > BIG_INTEGER) throw cannotUse('intdiv', left)
  spendOn(left, right)
  const divisor = toBigInt(right)
  if (divisor === 0n) throw arithmetic(rank === BIG_INTEGER ? 'BigInteger divide by zero' : '/ by zero')
  return asRank(rank, toBigInt(left) / divisor)
}

function asRank(rank: number, number: bigint): Value {
  if (rank === INT) return Number(BigInt.asIntN(32, number))
  return rank === LONG ? BigInt.asIntN(64, number) : new BigIntegerValue(number)
}

/** The exception of a numeric operator for null; null where the number has no such operator. */
export function withNull(method: string, number: Value): ThrowableValue | null {
  if (ARITHMETIC.has(method)) {
    return throwable(
      GroovyRuntimeException,
      `Ambiguous method overloading for method ${classOf(number).name}#${method}.`,
    )
  }
  const rank = numberRank(number)
  if (rank === NOT_A_NUMBER) return null
  const isBits = method === 'and' || method === 'or' || method === 'xor'
  const isShift = method.endsWith('Shift') || method.endsWith('Unsigned')
  const cannot = isBits || (isShift && (rank > BIG_INTEGER || (rank === BIG_INTEGER && method.endsWith('Unsigned'))))
  return cannot ? cannotUse(method, number) : nullPointer(null)
}

const ARITHMETIC: ReadonlySet<string> = new Set(['plus', 'minus', 'multiply', 'div'])

/** The exception of `~` for a number that is not an integer. */
export function cannotNegateBits(number: Value): unknown {
  return cannotUse('bitwiseNegate', number)
}

function cannotUse(method: string, number: Value): ThrowableValue {
  return unsupported(
    `Cannot use ${method}() on this number type: ${classOf(number).name} with value: ${textOf(number)}`,
  )
}

/** `and`, `or`, `xor` of integers. */
export function combineBits(method: 'and' | 'or' | 'xor', left: Value, right: Value): Value {
  const rank = Math.max(numericRank(left), numericRank(right))
  if (rank > BIG_INTEGER) throw cannotUse(method, left)
  spendOn(left, right)
  const [a, b] = [toBigInt(left), toBigInt(right)]
  return asRank(rank, method === 'and' ? a & b : method === 'or' ? a | b : a ^ b)
}

/** `<<`, `>>` and `>>>`, by the rank of the left number alone. */
export function shift(method: 'leftShift' | 'rightShift' | 'rightShiftUnsigned', left: Value, right: Value): Value {
  const rank = numericRank(left)
  if (numericRank(right) > BIG_INTEGER) {
    throw unsupported(
      `Shift distance must be an integral type, but ${textOf(right)} (${classOf(right).name}) was supplied`,
    )
  }
  const distance = toInt(right)
  if (rank === INT) {
    const number = toInt(left)
    if (method === 'leftShift') return number << distance
    return method === 'rightShift' ? number >> distance : (number >>> distance) | 0
  }
  if (rank === LONG) {
    const [number, places] = [toLong(left), BigInt(distance & 63)]
    if (method === 'leftShift') return BigInt.asIntN(64, number << places)
    return method === 'rightShift' ? number >> places : BigInt.asIntN(64, BigInt.asUintN(64, number) >> places)
  }
  if (rank !== BIG_INTEGER || method === 'rightShiftUnsigned') throw cannotUse(method, left)
  const number = toBigInt(left)
  const places = method === 'leftShift' ? distance : -distance
  checkBits(bits(number) + Math.max(places, 0))
  return new BigIntegerValue(places >= 0 ? number << BigInt(places) : number >> BigInt(-places))
}

export function negateNumber(value: Value): Value {
  switch (numericRank(value)) {
    case INT:
      return -toInt(value) | 0
    case LONG:
      return BigInt.asIntN(64, -toLong(value))
    case BIG_INTEGER:
      return new BigIntegerValue(-toBigInt(value))
    case BIG_DECIMAL:
      return (value as BigDecimal).negate()
    default:
      return value instanceof FloatValue ? new FloatValue(-value.value) : new DoubleValue(-toDouble(value))
  }
}

/** `**`. */
export function powerOf(base: Value, exponent: Value): Value {
  const rank = numericRank(base)
  if (numericRank(exponent) <= INT && rank !== FLOATING) {
    const times = toInt(exponent)
    if (times < 0) return floatingPower(base, exponent)
    if (rank === BIG_DECIMAL) return (base as BigDecimal).power(times)
    const number = toBigInt(base)
    checkBits(
      number >= -1n && number <= 1n ? 1 : bits(number < 0n ? -number : number) * times * (number < 16n ? 0.25 : 1),
    )
    const power = number ** BigInt(times)
    if (rank === BIG_INTEGER) return new BigIntegerValue(power)
    const small = smallestInteger(power)
    return typeof small === 'number' && rank === LONG ? BigInt(small) : widened(rank, small)
  }
  if (rank === BIG_INTEGER && numericRank(exponent) <= BIG_INTEGER) return bigPower(base, exponent)
  return floatingPower(base, exponent)
}

/** A BigInteger raised to a power that is not an Integer: the result is a BigInteger. */
function bigPower(base: Value, exponent: Value): Value {
  const times = toBigInt(exponent)
  if (times < 0n) return new BigIntegerValue(toBigInt(new DoubleValue(toDouble(base) ** toDouble(exponent))))
  checkBits(bits(toBigInt(base)) * Number(times))
  return new BigIntegerValue(toBigInt(base) ** times)
}

/** A power that exceeds its type is a BigInteger. */
function widened(rank: number, value: Value): Value {
  return typeof value === 'bigint' && rank === INT ? new BigIntegerValue(value) : value
}

function floatingPower(base: Value, exponent: Value): Value {
  const answer = toDouble(base) ** toDouble(exponent)
  if (Number.isInteger(answer) && Math.abs(answer) < 2 ** 63) {
    return (answer | 0) === answer ? answer | 0 : BigInt(answer)
  }
  return new DoubleValue(answer)
}
