// `value as Type`.

import { checkBits, checkCopy, spend } from '../meter.ts'
import { BigDecimal } from '../values/big-decimal.ts'
import type { ClassInfo } from '../values/class-info.ts'
import { classOf } from '../values/class-of.ts'
import {
  BooleanClass,
  CharacterClass,
  CollectionInterface,
  DoubleClass,
  IterableInterface,
  ListInterface,
  StringClass,
} from '../values/classes.ts'
import { ClosureValue } from '../values/closure.ts'
import { ListValue, MapValue } from '../values/collection.ts'
import { NumberFormatException, nullPointer, StringIndexOutOfBoundsException } from '../values/exceptions.ts'
import { GStringValue } from '../values/gstring.ts'
import { InterfaceProxy } from '../values/interface-proxy.ts'
import { ArrayValue, ObjectArray } from '../values/java-array.ts'
import { floatText } from '../values/number-text.ts'
import { BigIntegerValue, CharValue, DoubleValue, FloatValue } from '../values/numbers.ts'
import { textOf } from '../values/text.ts'
import { throwable } from '../values/throwable.ts'
import { truth } from '../values/truth.ts'
import { Instance, type Value } from '../values/value.ts'
import { castTo, collectionOf, numberConversion } from './cast.ts'
import { construct } from './invoke.ts'
import { itemsOf } from './items.ts'
import type { Maybe } from './pending.ts'

export function coerceTo(value: Value, klass: ClassInfo): Maybe {
  if (value === null) {
    if (klass.kind === 'primitive' && klass.name !== 'boolean') throw nullPointer(null)
    return klass.kind === 'primitive' ? false : null
  }
  const own = classOf(value)
  if (own === klass) return value
  if (value instanceof Instance) {
    const custom = own.method('asType')?.tryInvoke(value, [klass])
    if (custom !== undefined) return custom
  }
  if (klass === StringClass) return textOf(value)
  if (klass === BooleanClass || klass.name === 'boolean') return truth(value)
  // Preserves the decimal digits of a float, not its binary value.
  if (value instanceof FloatValue && (klass === DoubleClass || klass.name === 'double')) return widenedFloat(value)
  if (value instanceof GStringValue && own.isSubclassOf(klass)) return value
  if (typeof value === 'string' || value instanceof GStringValue)
    return coerceText(textOf(value), klass, typeof value === 'string')
  if (value instanceof ClosureValue && klass.kind === 'interface' && !own.isSubclassOf(klass))
    return new InterfaceProxy(klass, value)
  if (value instanceof MapValue && klass.kind === 'interface' && !own.isSubclassOf(klass))
    return new InterfaceProxy(klass, value)
  const isIterable = value instanceof ArrayValue || own.isSubclassOf(IterableInterface)
  if (isIterable && klass.isSubclassOf(CollectionInterface) && !own.isSubclassOf(klass)) {
    const made = collectionOf(itemsOf(value), klass)
    if (made !== undefined) return made
  }
  return castTo(value, klass)
}

export function widenedFloat({ value }: FloatValue): Value {
  return new DoubleValue(Number(floatText(value)))
}

function coerceText(text: string, klass: ClassInfo, isString: boolean): Maybe {
  const convert = numberConversion(klass)
  if (convert !== undefined) return convert(parseNumber(text.trim(), klass.simpleName))
  if (isString && (klass === CharacterClass || klass.name === 'char')) return firstCharacter(text)
  if (klass.kind === 'array' && klass.component?.name === 'char') {
    checkCopy(text.length)
    return new ObjectArray(
      klass.component,
      Array.from({ length: text.length }, (_, at) => CharValue.of(text.charCodeAt(at))),
    )
  }
  if (klass === ListInterface || klass === CollectionInterface) return new ListValue(characters(text))
  if (klass.isSubclassOf(CollectionInterface)) return collectionOf(characters(text), klass) ?? castTo(text, klass)
  const fromText =
    klass.kind === 'class' &&
    klass.constructors.some(({ parameters }) => parameters.length === 1 && parameters[0]!.name === 'String')
  return fromText ? construct(klass, [text]) : castTo(text, klass)
}

function characters(text: string): string[] {
  checkCopy(text.length)
  return text.split('')
}

function firstCharacter(text: string): Value {
  if (text === '') throw throwable(StringIndexOutOfBoundsException, 'String index out of range: 0')
  return CharValue.of(text.charCodeAt(0))
}

/** Parses a string to a number of a class; throws NumberFormatException. */
export function parseNumber(text: string, kind: string): Value {
  switch (kind) {
    case 'Double':
    case 'double':
      return new DoubleValue(parseFloating(text))
    case 'Float':
    case 'float':
      return new FloatValue(parseFloating(text))
    case 'BigDecimal': {
      const parsed = BigDecimal.parse(text)
      if (parsed === null)
        throw throwable(NumberFormatException, "Character array is missing \"exponent\" mark 'e' or 'E'.")
      return parsed
    }
    case 'BigInteger':
      return new BigIntegerValue(parseWhole(text, 10))
    default:
      return parseBounded(text, kind)
  }
}

const BOUNDS: ReadonlyMap<string, number> = new Map([
  ['byte', 8],
  ['short', 16],
  ['int', 32],
  ['integer', 32],
  ['long', 64],
])

function parseBounded(text: string, kind: string, radix = 10): Value {
  const number = parseWhole(text, radix)
  const bits = BOUNDS.get(kind.toLowerCase()) ?? 32
  if (BigInt.asIntN(bits, number) !== number) throw badNumber(text, radix, bits)
  return bits === 64 ? number : Number(number)
}

/** As `Integer.parseInt` and similar methods. */
export function parseInteger(text: string | null, radix: number, bits: number): bigint {
  if (text === null) throw throwable(NumberFormatException, 'Cannot parse null string')
  const number = parseWhole(text, radix)
  if (BigInt.asIntN(bits, number) !== number) throw badNumber(text, radix, bits)
  return number
}

function badNumber(text: string, radix: number, bits: number): unknown {
  const suffix = radix === 10 || bits === 64 ? '' : ` under radix ${radix}`
  return throwable(NumberFormatException, `For input string: "${text}"${suffix}`)
}

function parseWhole(text: string, radix: number): bigint {
  checkBits(text.length * 4)
  spend(text.length * 4)
  const match = /^([+-]?)([0-9a-zA-Z]+)$/.exec(text)
  if (match === null) throw throwable(NumberFormatException, `For input string: "${text}"`)
  if (radix === 10 && /^\d+$/.test(match[2] as string))
    return BigInt(match[2] as string) * (match[1] === '-' ? -1n : 1n)
  let number = 0n
  for (const digit of match[2] as string) {
    const value = Number.parseInt(digit, 36)
    if (value >= radix) throw badNumber(text, radix, 32)
    number = number * BigInt(radix) + BigInt(value)
  }
  return match[1] === '-' ? -number : number
}

/** As `Double.parseDouble`. */
export function parseFloating(text: string): number {
  spend(text.length)
  const trimmed = text.trim()
  if (trimmed === '') throw throwable(NumberFormatException, 'empty String')
  const named = /^([+-]?)(NaN|Infinity)$/.exec(trimmed)
  if (named !== null)
    return named[2] === 'NaN' ? Number.NaN : named[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[dDfF]?$/.test(trimmed)) {
    throw throwable(NumberFormatException, `For input string: "${text}"`)
  }
  return Number(trimmed.replace(/[dDfF]$/, ''))
}
