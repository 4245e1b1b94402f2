import { type JsonNumber, jsonNumber, numberValue } from './number.ts'

/** A double, or a JSON number that no double represents exactly. */
export type Numeric = number | JsonNumber

/** An arithmetic operation without a result. */
export class ArithmeticError extends Error {
  override readonly name = 'ArithmeticError'
}

/** A decimal: `digits` divided by ten to the power of `scale`. */
interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

/** Limit of digits, since the length of a number may come from a request. */
const maxDigits = 1_000

const parts = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/

/** An operation on doubles, and the same on decimals. */
interface Operation {
  readonly rough: (left: number, right: number) => number
  readonly exact: (left: Decimal, right: Decimal) => Decimal
}

const addition: Operation = {
  rough: (left, right) => left + right,
  exact: (left, right) => aligned(left, right, (first, second) => first + second),
}

const subtraction: Operation = {
  rough: (left, right) => left - right,
  exact: (left, right) => aligned(left, right, (first, second) => first - second),
}

const multiplication: Operation = {
  rough: (left, right) => left * right,
  exact: (left, right) => ({ digits: left.digits * right.digits, scale: left.scale + right.scale }),
}

/** Integers, and JSON numbers that are no doubles, are added exactly, as by BigDecimal. */
export const add = (left: Numeric, right: Numeric): Numeric => calculate(left, right, addition)

/** As exact as `add`. */
export const subtract = (left: Numeric, right: Numeric): Numeric => calculate(left, right, subtraction)

/** As exact as `add`. */
export const multiply = (left: Numeric, right: Numeric): Numeric => calculate(left, right, multiplication)

/** Exact where integers divide without remainder, else a division of doubles. */
export function divide(left: Numeric, right: Numeric): Numeric {
  refuseZero(right)
  const whole = wholePair(left, right)
  if (whole !== null && whole[0] % whole[1] === 0n) return jsonNumber(String(whole[0] / whole[1]))
  return Number(left) / Number(right)
}

/** Exact for integers, else the remainder of doubles. */
export function remainder(left: Numeric, right: Numeric): Numeric {
  refuseZero(right)
  const whole = wholePair(left, right)
  return whole === null ? Number(left) % Number(right) : jsonNumber(String(whole[0] % whole[1]))
}

export function negate(value: Numeric): Numeric {
  if (typeof value === 'number') return 0 - value
  const { text } = value
  return jsonNumber(text.startsWith('-') ? text.slice(1) : `-${text}`)
}

function refuseZero(divisor: Numeric): void {
  if (numberValue(divisor) === 0) throw new ArithmeticError('division by zero')
}

/** Uses doubles, unless operands are integers whose result may not be exact. */
function calculate(left: Numeric, right: Numeric, { rough, exact }: Operation): Numeric {
  if (typeof left === 'number' && typeof right === 'number') {
    const result = rough(left, right)
    if (!isWhole(left) || !isWhole(right)) return result
    if (Number.isSafeInteger(left) && Number.isSafeInteger(right) && Number.isSafeInteger(result)) return result
  }
  return printed(exact(decimalOf(left), decimalOf(right)))
}

/** Applies an operation to the digits of two decimals after aligning their scale. */
function aligned(left: Decimal, right: Decimal, apply: (left: bigint, right: bigint) => bigint): Decimal {
  const scale = Math.max(left.scale, right.scale)
  const digits = ({ digits: own, scale: behind }: Decimal): bigint => own * 10n ** BigInt(scale - behind)
  return { digits: apply(digits(left), digits(right)), scale }
}

/** Both as integers; null where doubles are exact, or one of them is no integer. */
function wholePair(left: Numeric, right: Numeric): readonly [bigint, bigint] | null {
  if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) return null
  return isWhole(left) && isWhole(right) ? [BigInt(String(left)), BigInt(String(right))] : null
}

/** Whether a number is written without fraction and exponent; larger doubles than the bound print with an exponent. */
function isWhole(value: Numeric): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 1e21
  return value.isInteger && value.text.length <= maxDigits
}

function decimalOf(value: Numeric): Decimal {
  const [whole, sign, units = '', fraction = '', power = '0'] = parts.exec(String(value)) ?? []
  const scale = fraction.length - Number(power)
  if (whole === undefined || units.length + fraction.length > maxDigits || Math.abs(scale) > maxDigits) throw tooLong()
  const digits = BigInt(`${sign === '-' ? '-' : ''}${units}${fraction}`)
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale }
}

function printed({ digits, scale }: Decimal): Numeric {
  const sign = digits < 0n ? '-' : ''
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  const point = text.length - scale
  if (text.length > 2 * maxDigits) throw tooLong()
  return jsonNumber(scale === 0 ? sign + text : `${sign}${text.slice(0, point)}.${text.slice(point)}`)
}

function tooLong(): ArithmeticError {
  return new ArithmeticError(`arithmetic is limited to numbers of ${maxDigits} digits`)
}
