// Constructors, constants and static methods of the number classes.

import { checkBits } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { parseFloating, parseInteger, parseNumber } from '../../runtime/coerce.ts'
import { shift } from '../../runtime/number-math.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import {
  BigIntegerClass,
  BooleanClass,
  ByteClass,
  DoubleClass,
  FloatClass,
  IntegerClass,
  LongClass,
  ShortClass,
} from '../../values/classes.ts'
import { compareDoubles } from '../../values/compare.ts'
import { arithmetic } from '../../values/exceptions.ts'
import { doubleText, floatText } from '../../values/number-text.ts'
import { toBigInt } from '../../values/number-tower.ts'
import { BigIntegerValue, ByteValue, DoubleValue, FloatValue, ShortValue } from '../../values/numbers.ts'
import type { Value } from '../../values/value.ts'

/** Common members of Integer, Long, Short and Byte. */
function wholeClass(klass: ClassInfo, parse: string, type: string, bits: number, box: (number: bigint) => Maybe): void {
  const [least, most] = [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n]
  const read = (text: string | null, radix: number): Maybe => box(parseInteger(text, radix, bits))
  extend(klass, {
    [`new(String text)`]: (text: string) => read(text, 10),
    [`new(${type} value)`]: (value: number | bigint) => box(BigInt(value)),
    [`static ${parse}(String? text): ${type}`]: (text: string | null) => read(text, 10),
    [`static ${parse}(String? text, int radix): ${type}`]: read,
    [`static valueOf(String? text): ${klass.simpleName}`]: (text: string | null) => read(text, 10),
    [`static valueOf(${type} value): ${klass.simpleName}`]: (value: number | bigint) => box(BigInt(value)),
    [`static toString(${type} value): String`]: (value: number | bigint) => String(value),
    [`static compare(${type} left, ${type} right): int`]: (left: number | bigint, right: number | bigint) =>
      left < right ? -1 : left > right ? 1 : 0,
    'static MIN_VALUE: Number': () => box(least),
    'static MAX_VALUE: Number': () => box(most),
  })
}

wholeClass(IntegerClass, 'parseInt', 'int', 32, (number) => Number(number))
wholeClass(LongClass, 'parseLong', 'long', 64, (number) => number)
wholeClass(ShortClass, 'parseShort', 'short', 16, (number) => new ShortValue(Number(number)))
wholeClass(ByteClass, 'parseByte', 'byte', 8, (number) => ByteValue.of(Number(number)))

for (const [klass, type, bits] of [
  [IntegerClass, 'int', 32],
  [LongClass, 'long', 64],
] as const) {
  const unsigned = (value: number | bigint): bigint => BigInt.asUintN(bits, BigInt(value))
  const signed = (value: bigint): Value => (bits === 64 ? BigInt.asIntN(64, value) : Number(BigInt.asIntN(32, value)))
  extend(klass, {
    [`static toHexString(${type} value): String`]: (value: number | bigint) => unsigned(value).toString(16),
    [`static toOctalString(${type} value): String`]: (value: number | bigint) => unsigned(value).toString(8),
    [`static toBinaryString(${type} value): String`]: (value: number | bigint) => unsigned(value).toString(2),
    [`static toString(${type} value, int radix): String`]: (value: number | bigint, radix: number) =>
      BigInt(value).toString(radix < 2 || radix > 36 ? 10 : radix),
    [`static bitCount(${type} value): int`]: (value: number | bigint) =>
      unsigned(value).toString(2).replaceAll('0', '').length,
    [`static signum(${type} value): int`]: (value: number | bigint) => (value > 0 ? 1 : value < 0 ? -1 : 0),
    [`static max(${type} left, ${type} right): ${type}`]: (left: number | bigint, right: number | bigint) =>
      left > right ? left : right,
    [`static min(${type} left, ${type} right): ${type}`]: (left: number | bigint, right: number | bigint) =>
      left < right ? left : right,
    [`static sum(${type} left, ${type} right): ${type}`]: (left: number | bigint, right: number | bigint) =>
      signed(BigInt(left) + BigInt(right)),
    [`static hashCode(${type} value): int`]: (value: number | bigint) =>
      Number(BigInt.asIntN(32, BigInt(value) ^ (BigInt(value) >> 32n))),
    'static SIZE: int': bits,
    'static BYTES: int': bits / 8,
  })
}

for (const [klass, name, type] of [
  [DoubleClass, 'parseDouble', 'double'],
  [FloatClass, 'parseFloat', 'float'],
] as const) {
  const box = (number: number): Value => (type === 'double' ? new DoubleValue(number) : new FloatValue(number))
  extend(klass, {
    'new(String text)': (text: string) => box(parseFloating(text)),
    'new(double value)': box,
    [`static ${name}(String text): ${type}`]: (text: string) => box(parseFloating(text)),
    [`static valueOf(String text): ${klass.simpleName}`]: (text: string) => box(parseFloating(text)),
    [`static valueOf(double value): ${klass.simpleName}`]: box,
    'static toString(double value): String': (value: number) =>
      type === 'double' ? doubleText(value) : floatText(Math.fround(value)),
    'static isNaN(double value): boolean': (value: number) => Number.isNaN(value),
    'static isInfinite(double value): boolean': (value: number) => Math.abs(value) === Number.POSITIVE_INFINITY,
    'static isFinite(double value): boolean': (value: number) => Number.isFinite(value),
    'static compare(double left, double right): int': compareDoubles,
    'static NaN: Number': () => box(Number.NaN),
    'static POSITIVE_INFINITY: Number': () => box(Number.POSITIVE_INFINITY),
    'static NEGATIVE_INFINITY: Number': () => box(Number.NEGATIVE_INFINITY),
    'static MAX_VALUE: Number': () => box(type === 'double' ? Number.MAX_VALUE : 3.4028234663852886e38),
    'static MIN_VALUE: Number': () => box(type === 'double' ? Number.MIN_VALUE : 1.401298464324817e-45),
  })
}

const combining = (operation: (a: bigint, b: bigint) => bigint) => (self: Value, other: Value) =>
  new BigIntegerValue(operation(toBigInt(self), toBigInt(other)))

const dividing = (divide: (a: bigint, b: bigint) => bigint) =>
  combining((a, b) => {
    if (b === 0n) throw arithmetic('BigInteger divide by zero')
    return divide(a, b)
  })

extend(BigIntegerClass, {
  'new(String text)': (text: string) => parseNumber(text, 'BigInteger'),
  'new(String text, int radix)': (text: string, radix: number) =>
    new BigIntegerValue(parseInteger(text, radix, 100_000)),
  'static valueOf(long value): BigInteger': (value: bigint) => new BigIntegerValue(value),
  ...Object.fromEntries(
    Object.entries({ ZERO: 0n, ONE: 1n, TWO: 2n, TEN: 10n }).map(([name, value]) => [
      `static ${name}: BigInteger`,
      new BigIntegerValue(value),
    ]),
  ),
  'add(BigInteger other): BigInteger': combining((a, b) => a + b),
  'subtract(BigInteger other): BigInteger': combining((a, b) => a - b),
  'divide(BigInteger other): BigInteger': dividing((a, b) => a / b),
  'mod(BigInteger other): BigInteger': dividing((a, b) => ((a % b) + b) % b),
  'pow(int exponent): BigInteger': (self: BigIntegerValue, exponent: number) => {
    if (exponent < 0) throw arithmetic('Negative exponent')
    checkBits(self.value.toString(16).length * 4 * exponent)
    return new BigIntegerValue(self.value ** BigInt(exponent))
  },
  'negate(): BigInteger': (self: BigIntegerValue) => new BigIntegerValue(-self.value),
  'signum(): int': (self: BigIntegerValue) => (self.value > 0n ? 1 : self.value < 0n ? -1 : 0),
  'bitLength(): int': (self: BigIntegerValue) =>
    (self.value < 0n ? ~self.value : self.value).toString(2).replace(/^0$/, '').length,
  'shiftLeft(int places): BigInteger': (self: BigIntegerValue, places: number) => shift('leftShift', self, places),
  'shiftRight(int places): BigInteger': (self: BigIntegerValue, places: number) => shift('rightShift', self, places),
  'toString(int radix): String': (self: BigIntegerValue, radix: number) =>
    self.value.toString(radix < 2 || radix > 36 ? 10 : radix),
  'max(BigInteger other): BigInteger': combining((a, b) => (a > b ? a : b)),
  'min(BigInteger other): BigInteger': combining((a, b) => (a < b ? a : b)),
})

extend(BooleanClass, {
  'static parseBoolean(String? text): boolean': (text: string | null) => text?.toLowerCase() === 'true',
  'static valueOf(String? text): Boolean': (text: string | null) => text?.toLowerCase() === 'true',
  'static valueOf(boolean value): Boolean': (value: boolean) => value,
  'static toString(boolean value): String': (value: boolean) => String(value),
  'static TRUE: Boolean': true,
  'static FALSE: Boolean': false,
  'booleanValue(): boolean': (self: boolean) => self,
  'and(Boolean? other): Boolean': (self: boolean, other: boolean | null) => self && other === true,
  'or(Boolean? other): Boolean': (self: boolean, other: boolean | null) => self || other === true,
  'xor(Boolean? other): Boolean': (self: boolean, other: boolean | null) => self !== (other === true),
  'implies(Boolean other): Boolean': (self: boolean, other: boolean) => !self || other,
  'compareTo(Boolean other): int': (self: boolean, other: boolean) => Number(self) - Number(other),
})
