// Numeric types and conversions between them.
import { BigDecimal } from './big-decimal.ts'
import { NumberFormatException, nullPointer } from './exceptions.ts'
import { doubleText, floatText } from './number-text.ts'
import { BigIntegerValue, ByteValue, CharValue, DoubleValue, FloatValue, ShortValue } from './numbers.ts'
import { throwable } from './throwable.ts'
import type { Value } from './value.ts'

/** An operation on two numbers uses the higher of their ranks. */
export const NOT_A_NUMBER = 0
export const INT = 1
export const LONG = 2
export const BIG_INTEGER = 3
export const BIG_DECIMAL = 4
export const FLOATING = 5

export function numberRank(value: Value): number {
  if (typeof value === 'number') return INT
  if (typeof value === 'bigint') return LONG
  if (value instanceof BigDecimal) return BIG_DECIMAL
  if (value instanceof DoubleValue || value instanceof FloatValue) return FLOATING
  if (value instanceof BigIntegerValue) return BIG_INTEGER
  if (value instanceof ShortValue || value instanceof ByteValue) return INT
  return NOT_A_NUMBER
}

export function isNumber(value: Value): boolean {
  return numberRank(value) !== NOT_A_NUMBER
}

/** As `numberRank`; a Character counts as an Integer. */
export function numericRank(value: Value): number {
  return value instanceof CharValue ? INT : numberRank(value)
}

/** As Java's `doubleValue`. */
export function toDouble(value: Value): number {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof BigDecimal) return value.toNumber()
  if (value instanceof CharValue) return value.code
  if (value instanceof BigIntegerValue) return Number(value.value)
  return (value as DoubleValue).value
}

/** An integer of any size; the fraction is truncated. */
export function toBigInt(value: Value): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return BigInt(value)
  if (value instanceof BigIntegerValue) return value.value
  if (value instanceof BigDecimal) return value.toBigInt()
  if (value instanceof CharValue) return BigInt(value.code)
  if (value === null) throw nullPointer(null)
  const { value: number } = value as DoubleValue
  return Number.isFinite(number) ? BigInt(Math.trunc(number)) : 0n
}

const LONG_MIN = -(2n ** 63n)
const LONG_MAX = 2n ** 63n - 1n

/** As Java's `longValue`: the lowest 64 bits; floating-point numbers saturate. */
export function toLong(value: Value): bigint {
  if (typeof value === 'bigint') return value
  if (value instanceof DoubleValue || value instanceof FloatValue) {
    const number = value.value
    if (Number.isNaN(number)) return 0n
    if (number >= 2 ** 63) return LONG_MAX
    if (number <= -(2 ** 63)) return LONG_MIN
    return BigInt(Math.trunc(number))
  }
  return BigInt.asIntN(64, toBigInt(value))
}

/** As Java's `intValue`. */
export function toInt(value: Value): number {
  if (typeof value === 'number') return value
  if (value instanceof DoubleValue || value instanceof FloatValue) {
    const number = value.value
    if (Number.isNaN(number)) return 0
    return Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, Math.trunc(number)))
  }
  if (value instanceof ShortValue || value instanceof ByteValue) return value.value
  if (value instanceof CharValue) return value.code
  return Number(BigInt.asIntN(32, toBigInt(value)))
}

/** The value as a BigDecimal; floating-point numbers by their printed digits. */
export function toBigDecimal(value: Value): BigDecimal {
  if (value instanceof BigDecimal) return value
  if (value instanceof DoubleValue || value instanceof FloatValue) {
    const text = value instanceof FloatValue ? floatText(value.value) : doubleText(value.value)
    const parsed = BigDecimal.parse(text)
    if (parsed === null)
      throw throwable(
        NumberFormatException,
        'Character I is neither a decimal digit number, decimal point, nor "e" notation exponential mark.',
      )
    return parsed
  }
  return new BigDecimal(toBigInt(value), 0)
}

/** The exact value of a floating-point number, all its binary digits. */
export function exactDecimal(number: number): BigDecimal | null {
  if (!Number.isFinite(number)) return null
  let [scaled, scale] = [number, 0]
  while (!Number.isInteger(scaled)) {
    scaled *= 2
    scale += 1
  }
  return new BigDecimal(BigInt(scaled) * 5n ** BigInt(scale), scale)
}

/** The smallest type of Integer, Long and BigInteger for an integer. */
export function smallestInteger(number: bigint): Value {
  if (number >= -2147483648n && number <= 2147483647n) return Number(number)
  if (number >= LONG_MIN && number <= LONG_MAX) return number
  return new BigIntegerValue(number)
}
