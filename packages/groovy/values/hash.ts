// Hash codes as in Java, and keys of values for a JavaScript Map.
import { bitsOf, checkText, SMALL, spend, tick } from '../meter.ts'
import { settled } from '../runtime/pending.ts'
import { BigDecimal } from './big-decimal.ts'
import { ClassInfo } from './class-info.ts'
import { ObjectClass } from './classes.ts'
import { CollectionValue, ListValue, MapEntry, MapValue, SetValue } from './collection.ts'
import { GStringValue } from './gstring.ts'
import { ArrayValue } from './java-array.ts'
import { decimalText } from './number-text.ts'
import { BigIntegerValue, ByteValue, CharValue, DoubleValue, FloatValue, ShortValue } from './numbers.ts'
import { textOf } from './text.ts'
import { ThrowableValue } from './throwable.ts'
import type { GroovyObject, Value } from './value.ts'

export function hashOf(value: Value): number {
  tick()
  switch (typeof value) {
    case 'string':
      return stringHash(value)
    case 'number':
      return value
    case 'bigint':
      return longHash(value)
    case 'boolean':
      return value ? 1231 : 1237
  }
  if (value === null) return 0
  if (value instanceof GStringValue) return (37 + stringHash(textOf(value))) | 0
  if (value instanceof CharValue) return value.code
  if (value instanceof ShortValue || value instanceof ByteValue) return value.value
  if (value instanceof DoubleValue) return doubleHash(value.value)
  if (value instanceof FloatValue) return floatHash(value.value)
  if (value instanceof BigIntegerValue) return bigHash(value.value)
  if (value instanceof BigDecimal) return (Math.imul(31, bigHash(value.unscaled)) + value.scale) | 0
  if (value instanceof ListValue)
    return value.items.reduce((hash: number, each) => (Math.imul(31, hash) + hashOf(each)) | 0, 1)
  if (value instanceof SetValue) return value.items.reduce((hash: number, each) => (hash + hashOf(each)) | 0, 0)
  if (value instanceof MapValue) return value.entries().reduce((hash, each) => (hash + entryHash(each)) | 0, 0)
  if (value instanceof MapEntry) return entryHash(value)
  return objectHash(value)
}

function entryHash({ key, value }: MapEntry): number {
  return hashOf(key) ^ hashOf(value)
}

function objectHash(value: GroovyObject): number {
  const key = value.equalityKey()
  if (key !== null) return stringHash(key)
  const group = value.klass.method('hashCode')
  if (group === null || group.overloads[0] === ObjectClass.method('hashCode')?.overloads[0]) return identityHash(value)
  return settled(group.invoke(value, []), 'hashCode') as number
}

const identities = new WeakMap<GroovyObject, number>()
let lastIdentity = 0

/** Identity hash code, constant for an object; random in Java, a counter here. */
export function identityHash(value: GroovyObject): number {
  let hash = identities.get(value)
  if (hash === undefined) {
    lastIdentity = (lastIdentity + 0x9e3779b1) | 0
    hash = lastIdentity & 0x7fffffff
    identities.set(value, hash)
  }
  return hash
}

function stringHash(text: string): number {
  if (text.length > SMALL) spend(text.length)
  let hash = 0
  for (let index = 0; index < text.length; index++) hash = (Math.imul(31, hash) + text.charCodeAt(index)) | 0
  return hash
}

function longHash(number: bigint): number {
  const bits = BigInt.asUintN(64, number)
  return Number(BigInt.asIntN(32, bits ^ (bits >> 32n)))
}

const scratch = new DataView(new ArrayBuffer(8))

function doubleHash(number: number): number {
  scratch.setFloat64(0, number)
  return scratch.getInt32(0) ^ scratch.getInt32(4)
}

function floatHash(number: number): number {
  scratch.setFloat32(0, number)
  return scratch.getInt32(0)
}

function bigHash(number: bigint): number {
  const size = number < 0n ? -number : number
  spend(bitsOf(size))
  let hash = 0
  const hex = size.toString(16)
  const padded = hex.padStart(Math.ceil(hex.length / 8) * 8, '0')
  for (let at = 0; at < padded.length; at += 8) {
    hash = (Math.imul(31, hash) + Number.parseInt(padded.slice(at, at + 8), 16)) | 0
  }
  return number < 0n ? -hash | 0 : hash
}

/** The key of objects whose class defines `equals`; `CustomKey.hash` finds candidates. */
export class CustomKey {
  readonly hash: string

  constructor(value: GroovyObject) {
    this.hash = `\0H${objectHash(value)}`
  }
}

/**
 * The key of a value in a JavaScript Map: the same for values that are equal by Java's `equals`. Strings and Integers are their
 * own keys.
 */
export function keyOf(value: Value): unknown {
  if (typeof value === 'string') {
    if (value.length > SMALL) spend(value.length)
    return value.charCodeAt(0) === 0 ? `\0S${value}` : value
  }
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof GStringValue) return `\0G${textOf(value)}`
  if (value instanceof CharValue) return `\0C${value.code}`
  if (value instanceof BigDecimal) return `\0D${decimalText(value.unscaled)}:${value.scale}`
  if (value instanceof DoubleValue) return `\0E${Object.is(value.value, -0) ? '-0' : value.value}`
  if (value instanceof FloatValue) return `\0F${Object.is(value.value, -0) ? '-0' : value.value}`
  if (value instanceof BigIntegerValue) return `\0I${decimalText(value.value)}`
  if (value instanceof ShortValue) return `\0T${value.value}`
  if (value instanceof ByteValue) return `\0B${value.value}`
  if (value instanceof ListValue) return `\0L${joined(value.items.map(partOf))}`
  if (value instanceof SetValue) return `\0U${joined(value.items.map(partOf).toSorted())}`
  if (value instanceof MapValue) return `\0M${joined(value.entries().map(entryPart).toSorted())}`
  if (value instanceof MapEntry) return `\0N${entryPart(value)}`
  return objectKey(value)
}

function objectKey(value: GroovyObject): unknown {
  if (value instanceof ArrayValue || value instanceof CollectionValue || value instanceof ClassInfo) return value
  const key = value.equalityKey()
  if (key !== null) return `\0K${value.klass.name}:${key}`
  if (value instanceof ThrowableValue && value.fields.length === 0) return value
  const group = value.klass.method('equals')
  if (group === null || group.overloads[0] === ObjectClass.method('equals')?.overloads[0]) return value
  return new CustomKey(value)
}

/** The key of nested lists can be very long, although each list is short. */
function joined(parts: readonly string[]): string {
  checkText(parts.reduce((sum, each) => sum + each.length + 1, 0))
  return parts.join()
}

function entryPart({ key, value }: MapEntry): string {
  return `${partOf(key)}=${partOf(value)}`
}

/** A key as text with its length, so that different lists of keys have different text. */
function partOf(value: Value): string {
  tick()
  const key = keyOf(value)
  if (key instanceof CustomKey) return key.hash
  const text =
    typeof key === 'object' && key !== null ? `@${identityHash(key as GroovyObject)}` : `${typeof key}${String(key)}`
  return `${text.length}:${text}`
}
