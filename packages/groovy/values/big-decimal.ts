import { bitsOf, checkBits, spend } from '../meter.ts'
import type { ClassInfo } from './class-info.ts'
import { BigDecimalClass } from './classes.ts'
import { arithmetic } from './exceptions.ts'
import { decimalText } from './number-text.ts'
import { GroovyObject } from './value.ts'

export type Rounding = 'UP' | 'DOWN' | 'CEILING' | 'FLOOR' | 'HALF_UP' | 'HALF_DOWN' | 'HALF_EVEN' | 'UNNECESSARY'

const BITS_PER_DIGIT = 3.33

/** Ten to a power, within bounds. */
function powerOfTen(exponent: number): bigint {
  checkBits(exponent * BITS_PER_DIGIT)
  return 10n ** BigInt(exponent)
}

/** A decimal number as in Java: `unscaled` times ten to the power of minus `scale`. */
export class BigDecimal extends GroovyObject {
  readonly unscaled: bigint
  readonly scale: number

  constructor(unscaled: bigint, scale: number) {
    super()
    this.unscaled = unscaled
    this.scale = scale
  }

  /** Parses the syntax of Java's constructor; null for other text. */
  static parse(text: string): BigDecimal | null {
    const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,10}))?$/.exec(text)
    if (match === null) return null
    const [, sign, whole = '', fraction = '', exponent = '0'] = match
    if (whole === '' && fraction === '') return null
    checkBits((whole.length + fraction.length) * BITS_PER_DIGIT)
    spend((whole.length + fraction.length) * BITS_PER_DIGIT)
    const digits = BigInt(whole + fraction)
    return new BigDecimal(sign === '-' ? -digits : digits, fraction.length - Number(exponent))
  }

  get klass(): ClassInfo {
    return BigDecimalClass
  }

  override get weight(): number {
    return bitsOf(this.unscaled)
  }

  /** The number of decimal digits. */
  get precision(): number {
    return digitCount(this.unscaled)
  }

  get sign(): number {
    return this.unscaled > 0n ? 1 : this.unscaled < 0n ? -1 : 0
  }

  plus(other: BigDecimal): BigDecimal {
    const scale = Math.max(this.scale, other.scale)
    return new BigDecimal(this.#at(scale) + other.#at(scale), scale)
  }

  minus(other: BigDecimal): BigDecimal {
    return this.plus(other.negate())
  }

  times(other: BigDecimal): BigDecimal {
    checkBits((this.precision + other.precision) * BITS_PER_DIGIT)
    return new BigDecimal(this.unscaled * other.unscaled, this.scale + other.scale)
  }

  negate(): BigDecimal {
    return new BigDecimal(-this.unscaled, this.scale)
  }

  abs(): BigDecimal {
    return this.unscaled < 0n ? this.negate() : this
  }

  /** The remainder of an integer division. */
  remainder(other: BigDecimal): BigDecimal {
    return this.minus(this.divideToInteger(other).times(other))
  }

  /** The integer part of the quotient, with Java's preferred scale. */
  divideToInteger(other: BigDecimal): BigDecimal {
    const scale = Math.max(this.scale, other.scale)
    const quotient = new BigDecimal(this.#at(scale) / other.#at(scale), 0)
    const preferred = this.scale - other.scale
    return preferred >= 0 ? quotient.withScale(preferred, 'DOWN') : quotient.stripped(preferred)
  }

  /** The exact quotient, or null if its decimal expansion does not terminate. */
  divideExactly(other: BigDecimal): BigDecimal | null {
    const preferred = this.scale - other.scale
    if (this.unscaled === 0n) return new BigDecimal(0n, preferred)
    const [top, divisor] = [abs(this.unscaled), abs(other.unscaled)]
    const twos = timesDivisible(divisor, 2n)
    const fives = timesDivisible(divisor, 5n)
    // It terminates where the other factors of the divisor are those of the dividend too.
    if (top % (divisor / 2n ** BigInt(twos) / 5n ** BigInt(fives)) !== 0n) return null
    const digits = Math.max(twos - timesDivisible(top, 2n, twos), fives - timesDivisible(top, 5n, fives))
    const quotient = (this.unscaled * powerOfTen(digits)) / other.unscaled
    return new BigDecimal(quotient, preferred + digits).stripped(preferred)
  }

  /** The quotient, rounded to a number of digits. */
  divideToPrecision(other: BigDecimal, precision: number, rounding: Rounding): BigDecimal {
    const preferred = this.scale - other.scale
    if (this.unscaled === 0n) return new BigDecimal(0n, preferred)
    const extra = Math.max(0, precision + 3 - (this.precision - other.precision))
    const scaled = this.unscaled * powerOfTen(extra)
    // A sticky digit for a non-zero remainder, for correct rounding.
    const sticky = scaled % other.unscaled === 0n ? 0n : this.sign * other.sign > 0 ? 1n : -1n
    const quotient = new BigDecimal((scaled / other.unscaled) * 10n + sticky, preferred + extra + 1)
    const rounded = quotient.toPrecision(precision, rounding)
    return sticky === 0n ? rounded.stripped(preferred) : rounded
  }

  /** The quotient, rounded to a scale. */
  divideToScale(other: BigDecimal, scale: number, rounding: Rounding): BigDecimal {
    const shift = scale + other.scale - this.scale
    const [top, bottom] =
      shift >= 0
        ? [this.unscaled * powerOfTen(shift), other.unscaled]
        : [this.unscaled, other.unscaled * powerOfTen(-shift)]
    return new BigDecimal(roundedQuotient(top, bottom, rounding), scale)
  }

  withScale(scale: number, rounding: Rounding): BigDecimal {
    if (scale === this.scale) return this
    if (scale > this.scale) return new BigDecimal(this.#at(scale), scale)
    return new BigDecimal(roundedQuotient(this.unscaled, powerOfTen(this.scale - scale), rounding), scale)
  }

  toPrecision(precision: number, rounding: Rounding): BigDecimal {
    if (precision === 0 || this.precision <= precision) return this
    const rounded = this.withScale(this.scale - (this.precision - precision), rounding)
    // Rounded up to one digit more: 9.99 became 10.0.
    return rounded.precision > precision ? rounded.withScale(rounded.scale - 1, rounding) : rounded
  }

  /** Strips trailing zeros down to a minimum scale. */
  stripped(least = Number.NEGATIVE_INFINITY): BigDecimal {
    const { unscaled, scale } = this
    if (unscaled === 0n) return new BigDecimal(0n, least === Number.NEGATIVE_INFINITY ? 0 : least)
    const zeros = timesDivisible(unscaled, 10n, scale - least)
    return zeros === 0 ? this : new BigDecimal(unscaled / 10n ** BigInt(zeros), scale - zeros)
  }

  power(exponent: number): BigDecimal {
    if (exponent < 0) throw arithmetic('Invalid operation')
    checkBits(this.precision * exponent * BITS_PER_DIGIT)
    return new BigDecimal(this.unscaled ** BigInt(exponent), this.scale * exponent)
  }

  compareTo(other: BigDecimal): number {
    if (this.sign !== other.sign) return this.sign < other.sign ? -1 : 1
    // Numbers of different magnitude are compared without a common scale, which could need very many digits.
    const sizes = this.precision - this.scale - (other.precision - other.scale)
    if (sizes !== 0 && this.sign !== 0) return sizes > 0 === this.sign > 0 ? 1 : -1
    const scale = Math.max(this.scale, other.scale)
    const [left, right] = [this.#at(scale), other.#at(scale)]
    return left < right ? -1 : left > right ? 1 : 0
  }

  toBigInt(): bigint {
    if (this.scale <= 0) return this.#at(0)
    return this.unscaled / powerOfTen(this.scale)
  }

  toNumber(): number {
    return Number(`${decimalText(this.unscaled)}e${-this.scale}`)
  }

  toPlainString(): string {
    if (this.scale <= 0) return decimalText(this.#at(0))
    return this.#withPoint()
  }

  override toString(): string {
    if (this.scale === 0) return decimalText(this.unscaled)
    const exponent = this.precision - 1 - this.scale
    if (this.scale > 0 && exponent >= -6) return this.#withPoint()
    const digits = decimalText(abs(this.unscaled))
    const mantissa = digits.length === 1 ? digits : `${digits[0]}.${digits.slice(1)}`
    const suffix = exponent === 0 ? '' : `E${exponent > 0 ? '+' : ''}${exponent}`
    return `${this.sign < 0 ? '-' : ''}${mantissa}${suffix}`
  }

  #withPoint(): string {
    checkBits(this.scale * BITS_PER_DIGIT)
    const digits = decimalText(abs(this.unscaled)).padStart(this.scale + 1, '0')
    const point = digits.length - this.scale
    return `${this.sign < 0 ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`
  }

  /** The unscaled value at a scale that is not smaller. */
  #at(scale: number): bigint {
    if (scale === this.scale) return this.unscaled
    const power = powerOfTen(scale - this.scale)
    checkBits(bitsOf(this.unscaled) + bitsOf(power))
    return this.unscaled * power
  }
}

/** The quotient of two integers, rounded. */
function roundedQuotient(top: bigint, bottom: bigint, rounding: Rounding): bigint {
  const quotient = top / bottom
  const rest = top % bottom
  if (rest === 0n) return quotient
  const away = top < 0n === bottom < 0n ? 1n : -1n
  const half = abs(rest) * 2n - abs(bottom)
  switch (rounding) {
    case 'UP':
      return quotient + away
    case 'DOWN':
      return quotient
    case 'CEILING':
      return away > 0n ? quotient + 1n : quotient
    case 'FLOOR':
      return away < 0n ? quotient - 1n : quotient
    case 'HALF_UP':
      return half >= 0n ? quotient + away : quotient
    case 'HALF_DOWN':
      return half > 0n ? quotient + away : quotient
    case 'HALF_EVEN':
      return half > 0n || (half === 0n && quotient % 2n !== 0n) ? quotient + away : quotient
    case 'UNNECESSARY':
      throw arithmetic('Rounding necessary')
  }
}

function digitCount(number: bigint): number {
  return decimalText(abs(number)).length
}

function abs(number: bigint): bigint {
  return number < 0n ? -number : number
}

/**
 * How often a number that is not 0 is divisible by a factor, up to a maximum: in a number of divisions that grows with the
 * logarithm of the result, since each takes long for a large number.
 */
function timesDivisible(number: bigint, factor: bigint, most = Number.POSITIVE_INFINITY): number {
  let times = 0
  let rest = number
  const powers: bigint[] = []
  for (let [power, size] = [factor, 1]; times + size <= most && rest % power === 0n; power *= power, size *= 2) {
    rest /= power
    times += size
    powers.push(power)
  }
  for (let at = powers.length - 1; at >= 0; at--) {
    const size = 2 ** at
    const power = powers[at] as bigint
    if (times + size > most || rest % power !== 0n) continue
    rest /= power
    times += size
  }
  return times
}
