// Character, and Math.
import { lowerLetter, upperLetter } from '@identity-gateway/regex'
import { extend } from '../../registry/extend.ts'
import { addNumbers, divideNumbers, multiplyNumbers, subtractNumbers } from '../../runtime/number-math.ts'
import { CharacterClass, declareClass } from '../../values/classes.ts'
import { compareNumbers } from '../../values/compare.ts'
import { arithmetic } from '../../values/exceptions.ts'
import { toDouble, toInt } from '../../values/number-tower.ts'
import { CharValue, DoubleValue } from '../../values/numbers.ts'
import { textOf } from '../../values/text.ts'
import type { Value } from '../../values/value.ts'
import { absoluteValue } from './number.ts'

const is = (pattern: RegExp) => (value: Value) => pattern.test(characterText(value))

function characterText(value: Value): string {
  return typeof value === 'number' ? String.fromCodePoint(value) : textOf(value)
}

/** Each predicate is a static method of Character and, in Groovy, also an instance method. */
const tests: readonly (readonly [string, RegExp])[] = [
  ['isLetter', /^\p{L}$/u],
  ['isDigit', /^\p{Nd}$/u],
  ['isLetterOrDigit', /^[\p{L}\p{Nd}]$/u],
  ['isUpperCase', /^\p{Lu}$/u],
  ['isLowerCase', /^\p{Ll}$/u],
  ['isWhitespace', /^[\t-\r\x1c-\x1f ]$/],
]

for (const [name, pattern] of tests) {
  const run = is(pattern)
  extend(CharacterClass, {
    [`static ${name}(Object character): boolean`]: run,
    [`${name}(): boolean`]: run,
  })
}

const mapped = (change: (text: string) => string) => (value: Value) =>
  CharValue.of(change(characterText(value)).charCodeAt(0))
const upper = mapped(upperLetter)
const lower = mapped(lowerLetter)

extend(CharacterClass, {
  'static toUpperCase(char character): char': upper,
  'static toLowerCase(char character): char': lower,
  'static valueOf(char character): Character': (text: string) => CharValue.of(text.charCodeAt(0)),
  'static toString(char character): String': (text: string) => text,
  'static getNumericValue(char character): int': (text: string) => {
    const value = Number.parseInt(text, 36)
    return Number.isNaN(value) ? -1 : value
  },
  'static digit(char character, int radix): int': (text: string, radix: number) => {
    const value = Number.parseInt(text, 36)
    return Number.isNaN(value) || value >= radix ? -1 : value
  },
  'toUpperCase(): char': upper,
  'toLowerCase(): char': lower,
  'charValue(): char': (self: CharValue) => self,
  'toInteger(): Integer': (self: CharValue) => self.code,
  'plus(Number other): Number': addNumbers,
  'plus(Character other): Number': addNumbers,
  'minus(Number other): Number': subtractNumbers,
  'minus(Character other): Number': subtractNumbers,
  'multiply(Number other): Number': multiplyNumbers,
  'multiply(Character other): Number': multiplyNumbers,
  'div(Number other): Number': divideNumbers,
  'div(Character other): Number': divideNumbers,
  'next(): Character': (self: CharValue) => CharValue.of(self.code + 1),
  'previous(): Character': (self: CharValue) => CharValue.of(self.code - 1),
  'compareTo(Object other): int': (self: CharValue, other: Value) => self.code - (other as CharValue).code,
})

const MathClass = declareClass('java.lang.Math')

/** Functions of one number whose value is a double. */
const functions: Readonly<Record<string, (value: number) => number>> = {
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  exp: Math.exp,
  log: Math.log,
  log10: Math.log10,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  floor: Math.floor,
  ceil: Math.ceil,
  signum: Math.sign,
  toRadians: (value) => (value / 180) * Math.PI,
  toDegrees: (value) => (value * 180) / Math.PI,
}

extend(
  MathClass,
  Object.fromEntries(
    Object.entries(functions).map(([name, run]) => [
      `static ${name}(double value): double`,
      (value: number) => new DoubleValue(run(value)),
    ]),
  ),
)

extend(MathClass, {
  'static PI: double': () => new DoubleValue(Math.PI),
  'static E: double': () => new DoubleValue(Math.E),
  'static abs(Number value): Number': absoluteValue,
  'static max(Number left, Number right): Number': (left: Value, right: Value) =>
    widest(compareNumbers(left, right) >= 0 ? left : right, left, right),
  'static min(Number left, Number right): Number': (left: Value, right: Value) =>
    widest(compareNumbers(left, right) <= 0 ? left : right, left, right),
  'static pow(double base, double exponent): double': (base: number, exponent: number) =>
    new DoubleValue(base ** exponent),
  'static atan2(double y, double x): double': (y: number, x: number) => new DoubleValue(Math.atan2(y, x)),
  'static hypot(double x, double y): double': (x: number, y: number) => new DoubleValue(Math.hypot(x, y)),
  'static round(double value): long': (value: number) => BigInt(Number.isFinite(value) ? Math.floor(value + 0.5) : 0),
  'static rint(double value): double': (value: number) => new DoubleValue(nearestEven(value)),
  'static random(): double': () => new DoubleValue(Math.random()),
  'static floorDiv(long left, long right): long': (left: bigint, right: bigint) => {
    if (right === 0n) throw arithmetic('/ by zero')
    return (left - (((left % right) + right) % right)) / right
  },
  'static floorMod(long left, long right): long': (left: bigint, right: bigint) => {
    if (right === 0n) throw arithmetic('/ by zero')
    return ((left % right) + right) % right
  },
})

function nearestEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}

/** The result of `max` and `min` has the wider type of both. */
function widest(chosen: Value, left: Value, right: Value): Value {
  const isDouble = left instanceof DoubleValue || right instanceof DoubleValue
  if (isDouble && !(chosen instanceof DoubleValue)) return new DoubleValue(toDouble(chosen))
  const isLong = typeof left === 'bigint' || typeof right === 'bigint'
  return isLong && typeof chosen === 'number' ? BigInt(toInt(chosen)) : chosen
}
