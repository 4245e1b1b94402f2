// BigDecimal, RoundingMode, MathContext.
import { extend } from '../../registry/extend.ts'
import { parseNumber } from '../../runtime/coerce.ts'
import { BigDecimal, type Rounding } from '../../values/big-decimal.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { BigDecimalClass, declareClass, EnumClass } from '../../values/classes.ts'
import { EnumValue } from '../../values/enum-value.ts'
import { arithmetic, illegalArgument, NumberFormatException } from '../../values/exceptions.ts'
import { ObjectArray } from '../../values/java-array.ts'
import { exactDecimal, toBigDecimal } from '../../values/number-tower.ts'
import { BigIntegerValue, DoubleValue } from '../../values/numbers.ts'
import { throwable } from '../../values/throwable.ts'
import { GroovyObject, type Value } from '../../values/value.ts'

const MODES: readonly Rounding[] = [
  'UP',
  'DOWN',
  'CEILING',
  'FLOOR',
  'HALF_UP',
  'HALF_DOWN',
  'HALF_EVEN',
  'UNNECESSARY',
]

const RoundingModeClass = declareClass('java.math.RoundingMode', { kind: 'enum', parent: EnumClass })
const modes = MODES.map((name, ordinal) => new EnumValue(RoundingModeClass, name, ordinal))

extend(RoundingModeClass, {
  ...Object.fromEntries(modes.map((mode) => [`static ${mode.constant}: RoundingMode`, mode])),
  'static values(): RoundingMode[]': () => new ObjectArray(RoundingModeClass, [...modes]),
  'static valueOf(String name): RoundingMode': (name: string) => {
    const found = modes.find((mode) => mode.constant === name)
    if (found === undefined) throw illegalArgument(`No enum constant java.math.RoundingMode.${name}`)
    return found
  },
})

const MathContextClass = declareClass('java.math.MathContext')

class MathContextValue extends GroovyObject {
  readonly precision: number
  readonly rounding: Rounding

  constructor(precision: number, rounding: Rounding) {
    super()
    this.precision = precision
    this.rounding = rounding
  }

  get klass(): ClassInfo {
    return MathContextClass
  }

  override equalityKey(): string {
    return `${this.precision} ${this.rounding}`
  }
}

extend(MathContextClass, {
  'new(int precision)': (precision: number) => new MathContextValue(precision, 'HALF_UP'),
  'new(int precision, RoundingMode mode)': (precision: number, mode: EnumValue) =>
    new MathContextValue(precision, mode.constant as Rounding),
  'static DECIMAL32: MathContext': () => new MathContextValue(7, 'HALF_EVEN'),
  'static DECIMAL64: MathContext': () => new MathContextValue(16, 'HALF_EVEN'),
  'static DECIMAL128: MathContext': () => new MathContextValue(34, 'HALF_EVEN'),
  'static UNLIMITED: MathContext': () => new MathContextValue(0, 'HALF_UP'),
  'getPrecision(): int': (self: MathContextValue) => self.precision,
  'toString(): String': (self: MathContextValue) => `precision=${self.precision} roundingMode=${self.rounding}`,
})

function modeOf(mode: Value): Rounding {
  return typeof mode === 'number' ? (MODES[mode] ?? 'HALF_UP') : ((mode as EnumValue).constant as Rounding)
}

function divided(self: BigDecimal, other: BigDecimal): BigDecimal {
  checkDivisor(self, other)
  const exact = self.divideExactly(other)
  if (exact === null) throw arithmetic('Non-terminating decimal expansion; no exact representable decimal result.')
  return exact
}

function checkDivisor(self: BigDecimal, other: BigDecimal): void {
  if (other.sign === 0) throw arithmetic(self.sign === 0 ? 'Division undefined' : 'Division by zero')
}

function exactOf(number: number): BigDecimal {
  const made = exactDecimal(number)
  if (made === null) throw throwable(NumberFormatException, 'Infinite or NaN')
  return made
}

function dividedToScale(self: BigDecimal, other: Value, scale: number, mode: Value): BigDecimal {
  const divisor = toBigDecimal(other)
  checkDivisor(self, divisor)
  return self.divideToScale(divisor, scale, modeOf(mode))
}

const withScale = (self: BigDecimal, scale: number, mode: Value): BigDecimal => self.withScale(scale, modeOf(mode))

extend(BigDecimalClass, {
  'new(String text)': (text: string) => parseNumber(text, 'BigDecimal'),
  'new(int value)': (value: number) => new BigDecimal(BigInt(value), 0),
  'new(long value)': (value: bigint) => new BigDecimal(value, 0),
  'new(double value)': exactOf,
  'new(BigInteger value)': (value: Value) => toBigDecimal(value),
  'static valueOf(long value): BigDecimal': (value: bigint) => new BigDecimal(value, 0),
  'static valueOf(long value, int scale): BigDecimal': (value: bigint, scale: number) => new BigDecimal(value, scale),
  'static valueOf(double value): BigDecimal': (value: number) => toBigDecimal(new DoubleValue(value)),
  'static ZERO: BigDecimal': new BigDecimal(0n, 0),
  'static ONE: BigDecimal': new BigDecimal(1n, 0),
  'static TEN: BigDecimal': new BigDecimal(10n, 0),
  ...Object.fromEntries(MODES.map((mode, index) => [`static ROUND_${mode}: int`, index])),
  'add(BigDecimal other): BigDecimal': (self: BigDecimal, other: Value) => self.plus(toBigDecimal(other)),
  'subtract(BigDecimal other): BigDecimal': (self: BigDecimal, other: Value) => self.minus(toBigDecimal(other)),
  'divide(BigDecimal other): BigDecimal': (self: BigDecimal, other: Value) => divided(self, toBigDecimal(other)),
  'divide(BigDecimal other, RoundingMode mode): BigDecimal': (self: BigDecimal, other: Value, mode: Value) =>
    dividedToScale(self, other, self.scale, mode),
  'divide(BigDecimal other, int scale, RoundingMode mode): BigDecimal': dividedToScale,
  'divide(BigDecimal other, int scale, int mode): BigDecimal': dividedToScale,
  'divide(BigDecimal other, MathContext context): BigDecimal': (
    self: BigDecimal,
    other: Value,
    context: MathContextValue,
  ) => {
    checkDivisor(self, toBigDecimal(other))
    return self.divideToPrecision(toBigDecimal(other), context.precision, context.rounding)
  },
  'setScale(int scale): BigDecimal': (self: BigDecimal, scale: number) => self.withScale(scale, 'UNNECESSARY'),
  'setScale(int scale, RoundingMode mode): BigDecimal': withScale,
  'setScale(int scale, int mode): BigDecimal': withScale,
  'round(MathContext context): BigDecimal': (self: BigDecimal, context: MathContextValue) =>
    self.toPrecision(context.precision, context.rounding),
  'scale(): int': (self: BigDecimal) => self.scale,
  'precision(): int': (self: BigDecimal) => self.precision,
  'signum(): int': (self: BigDecimal) => self.sign,
  'negate(): BigDecimal': (self: BigDecimal) => self.negate(),
  'pow(int exponent): BigDecimal': (self: BigDecimal, exponent: number) => self.power(exponent),
  'stripTrailingZeros(): BigDecimal': (self: BigDecimal) => self.stripped(),
  'toPlainString(): String': (self: BigDecimal) => self.toPlainString(),
  'unscaledValue(): BigInteger': (self: BigDecimal) => new BigIntegerValue(self.unscaled),
  'max(BigDecimal other): BigDecimal': (self: BigDecimal, other: Value) =>
    self.compareTo(toBigDecimal(other)) >= 0 ? self : toBigDecimal(other),
  'min(BigDecimal other): BigDecimal': (self: BigDecimal, other: Value) =>
    self.compareTo(toBigDecimal(other)) <= 0 ? self : toBigDecimal(other),
  'intValueExact(): int': (self: BigDecimal) => exactWhole(self, 32),
  'longValueExact(): long': (self: BigDecimal) => exactWhole(self, 64),
})

function exactWhole(self: BigDecimal, bits: number): Value {
  const whole = self.withScale(0, 'UNNECESSARY').toBigInt()
  if (BigInt.asIntN(bits, whole) !== whole) throw arithmetic('Overflow')
  return bits === 64 ? whole : Number(whole)
}
