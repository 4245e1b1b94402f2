// Methods of numbers.

import { boundedText } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { numberConversion } from '../../runtime/cast.ts'
import { coerceTo, widenedFloat } from '../../runtime/coerce.ts'
import { eachItem } from '../../runtime/iterate.ts'
import {
  addNumbers,
  combineBits,
  divideIntegers,
  divideNumbers,
  multiplyNumbers,
  negateNumber,
  powerOf,
  remainderOf,
  shift,
  subtractNumbers,
} from '../../runtime/number-math.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { BigDecimal } from '../../values/big-decimal.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import {
  BigDecimalClass,
  BigIntegerClass,
  ByteClass,
  DoubleClass,
  FloatClass,
  IntegerClass,
  LongClass,
  NumberClass,
  ShortClass,
} from '../../values/classes.ts'
import type { ClosureValue } from '../../values/closure.ts'
import { compareNumbers } from '../../values/compare.ts'
import { GroovyRuntimeException } from '../../values/exceptions.ts'
import {
  BIG_DECIMAL,
  BIG_INTEGER,
  numberRank,
  toBigDecimal,
  toBigInt,
  toDouble,
  toInt,
  toLong,
} from '../../values/number-tower.ts'
import { BigIntegerValue, ByteValue, DoubleValue, FloatValue, ShortValue } from '../../values/numbers.ts'
import { textOf } from '../../values/text.ts'
import { throwable } from '../../values/throwable.ts'
import type { Value } from '../../values/value.ts'
import { call } from '../closure/closure-calls.ts'

const IDENTICAL = (value: Value): Value => value

export function absoluteValue(value: Value): Value {
  return compareNumbers(value, 0) < 0 ? asClass(negateNumber(value), value) : value
}

/** Converts a number to the class of another. */
function asClass(value: Value, like: Value): Value {
  return like instanceof FloatValue ? new FloatValue(toDouble(value)) : value
}

/** `n.times { }`, `a.upto(b) { }` and similar methods. */
function counting(from: number, count: number, step: number, closure: ClosureValue): Maybe {
  return eachItem(
    numbers(from, count, step),
    (each) => call(closure, each),
    () => null,
  )
}

function* numbers(from: number, count: number, step: number): Iterable<Value> {
  for (let index = 0; index < count; index++) yield from + index * step
}

/** Steps through numbers of any type. */
function stepping(from: Value, to: Value, step: Value, direction: number, closure: ClosureValue): Maybe {
  return eachItem(
    steps(from, to, step, direction),
    (each) => call(closure, each),
    () => null,
  )
}

function* steps(from: Value, to: Value, step: Value, direction: number): Iterable<Value> {
  for (let value = from; compareNumbers(value, to) * direction <= 0; value = addNumbers(value, step)) yield value
}

function upTo(self: Value, to: Value, closure: ClosureValue): Maybe {
  if (compareNumbers(self, to) > 0) {
    throw throwable(
      GroovyRuntimeException,
      `The argument (${textOf(to)}) to upto() cannot be less than the value (${textOf(self)}) it's called on.`,
    )
  }
  return stepping(self, to, 1, 1, closure)
}

function downTo(self: Value, to: Value, closure: ClosureValue): Maybe {
  if (compareNumbers(self, to) < 0) {
    throw throwable(
      GroovyRuntimeException,
      `The argument (${textOf(to)}) to downto() cannot be greater than the value (${textOf(self)}) it's called on.`,
    )
  }
  return stepping(self, to, -1, -1, closure)
}

function stepBy(self: Value, to: Value, step: Value, closure: ClosureValue): Maybe {
  const direction = compareNumbers(step, 0)
  if (direction === 0)
    throw throwable(GroovyRuntimeException, `Infinite loop in ${textOf(self)}.step(${textOf(to)}, ${textOf(step)})`)
  // The end is exclusive.
  return eachItem(
    openSteps(self, to, step, direction),
    (each) => call(closure, each),
    () => null,
  )
}

function* openSteps(from: Value, to: Value, step: Value, direction: number): Iterable<Value> {
  for (let value = from; compareNumbers(value, to) * direction < 0; value = addNumbers(value, step)) yield value
}

function rounded(value: Value): Value {
  if (numberRank(value) === BIG_DECIMAL) return (value as BigDecimal).withScale(0, 'HALF_UP')
  if (value instanceof FloatValue) return toInt(new DoubleValue(Math.floor(value.value + 0.5)))
  return toLong(new DoubleValue(Math.floor(toDouble(value) + 0.5)))
}

function roundedTo(value: Value, places: number): Value {
  if (numberRank(value) === BIG_DECIMAL) return (value as BigDecimal).withScale(places, 'HALF_UP')
  const factor = 10 ** places
  const result = Math.floor(toDouble(value) * factor + 0.5) / factor
  return value instanceof FloatValue ? new FloatValue(result) : new DoubleValue(result)
}

function truncated(value: Value, places: number): Value {
  if (numberRank(value) === BIG_DECIMAL) return (value as BigDecimal).withScale(places, 'DOWN')
  const factor = 10 ** places
  return asClass(new DoubleValue(Math.trunc(toDouble(value) * factor) / factor), value)
}

extend(NumberClass, {
  'intValue(): int': toInt,
  'longValue(): long': toLong,
  'doubleValue(): double': (self: Value) => new DoubleValue(toDouble(self)),
  'floatValue(): float': (self: Value) => new FloatValue(toDouble(self)),
  'shortValue(): short': (self: Value) => new ShortValue(toInt(self)),
  'byteValue(): byte': (self: Value) => ByteValue.of(toInt(self)),
  'toInteger(): Integer': toInt,
  'toLong(): Long': toLong,
  'toDouble(): Double': (self: Value) =>
    self instanceof FloatValue ? widenedFloat(self) : new DoubleValue(toDouble(self)),
  'toFloat(): Float': (self: Value) => new FloatValue(toDouble(self)),
  'toBigDecimal(): BigDecimal': toBigDecimal,
  'toBigInteger(): BigInteger': (self: Value) => new BigIntegerValue(toBigInt(self)),
  'plus(Number other): Number': addNumbers,
  'plus(Character other): Number': addNumbers,
  'plus(String text): String': (self: Value, text: string) => boundedText(textOf(self) + text),
  'minus(Number other): Number': subtractNumbers,
  'minus(Character other): Number': subtractNumbers,
  'multiply(Number other): Number': multiplyNumbers,
  'multiply(Character other): Number': multiplyNumbers,
  'div(Number other): Number': divideNumbers,
  'div(Character other): Number': divideNumbers,
  'mod(Number other): Number': remainderOf,
  'remainder(Number other): Number': remainderOf,
  'intdiv(Number other): Number': divideIntegers,
  'power(Number exponent): Number': powerOf,
  'and(Number other): Number': (self: Value, other: Value) => combineBits('and', self, other),
  'or(Number other): Number': (self: Value, other: Value) => combineBits('or', self, other),
  'xor(Number other): Number': (self: Value, other: Value) => combineBits('xor', self, other),
  'leftShift(Number places): Number': (self: Value, places: Value) => shift('leftShift', self, places),
  'rightShift(Number places): Number': (self: Value, places: Value) => shift('rightShift', self, places),
  'rightShiftUnsigned(Number places): Number': (self: Value, places: Value) =>
    shift('rightShiftUnsigned', self, places),
  'unaryMinus(): Number': negateNumber,
  'unaryPlus(): Number': IDENTICAL,
  'next(): Number': (self: Value) => addNumbers(self, 1),
  'previous(): Number': (self: Value) => subtractNumbers(self, 1),
  'abs(): Number': absoluteValue,
  'compareTo(Object other): int': (self: Value, other: Value) => compareNumbers(self, other),
  'times(Closure closure): void': (self: Value, closure: ClosureValue) => counting(0, toInt(self), 1, closure),
  'upto(Number to, Closure closure): void': upTo,
  'downto(Number to, Closure closure): void': downTo,
  'step(Number to, Number step, Closure closure): void': stepBy,
  'isCase(Object value): boolean': (self: Value, value: Value) =>
    numberRank(value) !== 0 && compareNumbers(self, value) === 0,
  'asType(Class type): Object': (self: Value, type: ClassInfo) => coerceTo(self, type),
})

for (const klass of [DoubleClass, FloatClass, BigDecimalClass]) {
  extend(klass, {
    'round(): Number': rounded,
    'round(int places): Number': roundedTo,
    'trunc(): Number': (self: Value) => truncated(self, 0),
    'trunc(int places): Number': truncated,
  })
}

for (const klass of [DoubleClass, FloatClass]) {
  extend(klass, {
    'isNaN(): boolean': (self: Value) => Number.isNaN(toDouble(self)),
    'isInfinite(): boolean': (self: Value) => Math.abs(toDouble(self)) === Number.POSITIVE_INFINITY,
  })
}

for (const klass of [IntegerClass, LongClass, ShortClass, ByteClass, BigIntegerClass]) {
  const convert = numberConversion(klass) as (value: Value) => Maybe
  extend(klass, { 'bitwiseNegate(): Number': (self: Value) => bitNegated(self, convert) })
}

function bitNegated(value: Value, convert: (value: Value) => Maybe): Maybe {
  const number = ~toBigInt(value)
  return numberRank(value) === BIG_INTEGER
    ? new BigIntegerValue(number)
    : convert(typeof value === 'bigint' ? number : Number(number))
}
