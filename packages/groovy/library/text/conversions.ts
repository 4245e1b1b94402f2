// Conversions of strings to numbers and other values.

import { checkCopy, checkText } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { parseFloating, parseInteger, parseNumber } from '../../runtime/coerce.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { BigDecimal } from '../../values/big-decimal.ts'
import { CharSequenceInterface, primitives } from '../../values/classes.ts'
import { illegalArgument, NumberFormatException } from '../../values/exceptions.ts'
import { type ArrayValue, ByteArray } from '../../values/java-array.ts'
import {
  BigIntegerValue,
  type ByteValue,
  CharValue,
  DoubleValue,
  FloatValue,
  ShortValue,
} from '../../values/numbers.ts'
import { textOf } from '../../values/text.ts'
import { ThrowableValue } from '../../values/throwable.ts'
import type { Value } from '../../values/value.ts'
import { listOf, setOf } from '../collection/similar.ts'

const trimmedText = (self: Value): string => textOf(self).trim()

/** Whether a conversion does not throw NumberFormatException. */
function converts(convert: () => Maybe): boolean {
  try {
    convert()
    return true
  } catch (error) {
    if (error instanceof ThrowableValue && error.klass === NumberFormatException) return false
    throw error
  }
}

const toInteger = (self: Value): Value => Number(parseInteger(trimmedText(self), 10, 32))
const toLong = (self: Value): Value => parseInteger(trimmedText(self), 10, 64)
const toShort = (self: Value): Value => new ShortValue(Number(parseInteger(trimmedText(self), 10, 16)))
const toDouble = (self: Value): Value => new DoubleValue(parseFloating(trimmedText(self)))
const toFloat = (self: Value): Value => new FloatValue(parseFloating(trimmedText(self)))
const toBigInteger = (self: Value): Value => new BigIntegerValue(parseBig(self))
const toBigDecimal = (self: Value): Value => parseNumber(trimmedText(self), 'BigDecimal') as BigDecimal

function characters(self: Value): string[] {
  const text = textOf(self)
  checkCopy(text.length)
  return text.split('')
}

function parseBig(self: Value): bigint {
  return (parseNumber(trimmedText(self), 'BigInteger') as BigIntegerValue).value
}

const BASE64 = /^[A-Za-z0-9+/\s]*(?:=\s*){0,2}$/
const BASE64_URL = /^[A-Za-z0-9_-]*={0,2}$/

function decoded(text: string, encoding: 'base64' | 'base64url' | 'hex', pattern: RegExp): ByteArray {
  if (!pattern.test(text)) throw illegalArgument(`bad character in ${encoding} value`)
  checkCopy(text.length)
  return new ByteArray(Buffer.from(text, encoding))
}

extend(CharSequenceInterface, {
  'toInteger(): Integer': toInteger,
  'toLong(): Long': toLong,
  'toShort(): Short': toShort,
  'toDouble(): Double': toDouble,
  'toFloat(): Float': toFloat,
  'toBigInteger(): BigInteger': toBigInteger,
  'toBigDecimal(): BigDecimal': toBigDecimal,
  'toBoolean(): Boolean': (self: Value) => /^(?:true|y|1)$/i.test(trimmedText(self)),
  'isInteger(): boolean': (self: Value) => converts(() => toInteger(self)),
  'isLong(): boolean': (self: Value) => converts(() => toLong(self)),
  'isDouble(): boolean': (self: Value) => converts(() => toDouble(self)),
  'isFloat(): boolean': (self: Value) => converts(() => toFloat(self)),
  'isBigInteger(): boolean': (self: Value) => converts(() => toBigInteger(self)),
  'isBigDecimal(): boolean': (self: Value) => converts(() => toBigDecimal(self)),
  'isNumber(): boolean': (self: Value) => converts(() => toBigDecimal(self)),
  'toList(): List': (self: Value) => listOf(characters(self)),
  'toSet(): Set': (self: Value) => setOf(characters(self)),
  'toCharacter(): Character': (self: Value) => CharValue.of(textOf(self).charCodeAt(0)),
  'decodeBase64(): byte[]': (self: Value) => decoded(textOf(self), 'base64', BASE64),
  'decodeBase64Url(): byte[]': (self: Value) => decoded(textOf(self), 'base64url', BASE64_URL),
  'decodeHex(): byte[]': (self: Value) => {
    const text = textOf(self)
    if (text.length % 2 !== 0) throw illegalArgument('odd number of characters in hex string')
    return decoded(text, 'hex', /^[0-9a-fA-F]*$/)
  },
})

function encoded(self: ArrayValue, encoding: 'base64' | 'base64url' | 'hex'): string {
  const bytes =
    self instanceof ByteArray ? self.bytes : Uint8Array.from(self.items, (each) => (each as ByteValue).value)
  checkText(bytes.length * 2)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding)
}

extend(primitives.byte.arrayClass, {
  'encodeBase64(): String': (self: ArrayValue) => encoded(self, 'base64'),
  'encodeBase64Url(): String': (self: ArrayValue) => encoded(self, 'base64url'),
  'encodeBase64Url(boolean pad): String': (self: ArrayValue, pad: boolean) => {
    const text = encoded(self, 'base64url')
    return pad ? text.padEnd(Math.ceil(text.length / 4) * 4, '=') : text
  },
  'encodeHex(): String': (self: ArrayValue) => encoded(self, 'hex'),
})
