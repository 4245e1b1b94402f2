// Data between the gateway and scripts of Groovy: copies of JSON in both directions, views of objects.
import {
  ArrayValue,
  BigDecimal,
  BigIntegerValue,
  ByteArray,
  ByteValue,
  CharValue,
  type ClassInfo,
  CollectionValue,
  classes,
  classOf,
  DoubleValue,
  EnumValue,
  FloatValue,
  GStringValue,
  HashMapValue,
  HashSetValue,
  Instance,
  ListValue,
  MapValue,
  publicProperties,
  ShortValue,
  smallestInteger,
  textOf,
  tick,
  type Value,
} from '@identity-gateway/groovy'
import { isPlainObject, JsonNumber, jsonNumber, setOwn } from '#json'

const MAX_DEPTH = 64

/** Converts an object of the gateway to a value of a script; undefined where it does not apply. */
type Converter = (host: object) => Value | undefined

const converters: Converter[] = []

/** Registers the conversion of a class of the gateway. */
export function convertHost<T extends object>(
  type: abstract new (...args: never[]) => T,
  convert: (host: T) => Value,
): void {
  converters.push((host) => (host instanceof type ? convert(host) : undefined))
}

/** The converter of objects with an exposure; set by `host-views.ts`. */
export const views: { convert: Converter } = { convert: () => undefined }

/** Converts a value of the gateway. `mapClass` is the class of maps. */
export function toGroovy(value: unknown, mapClass: ClassInfo = classes.LinkedHashMapClass, depth = 0): Value {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return numberValue(value)
    case 'bigint':
      return smallestInteger(value)
    case 'object':
      return value === null ? null : objectValue(value, mapClass, depth)
  }
  return null
}

function numberValue(value: number): Value {
  if ((value | 0) === value && !Object.is(value, -0)) return value
  if (Number.isSafeInteger(value)) return BigInt(value)
  return BigDecimal.parse(String(value)) ?? new DoubleValue(value)
}

/** Arithmetic with longer numbers takes too long. */
const MAX_DIGITS = 60_000

function exactNumber(text: string): Value {
  if (text.length > MAX_DIGITS) throw new RangeError(`a number of more than ${MAX_DIGITS} digits`)
  return /^-?\d+$/.test(text) ? smallestInteger(BigInt(text)) : BigDecimal.parse(text)
}

function objectValue(value: object, mapClass: ClassInfo, depth: number): Value {
  tick()
  if (depth > MAX_DEPTH) throw new RangeError(`a value is nested more than ${MAX_DEPTH} levels deep`)
  if (value instanceof JsonNumber) return exactNumber(value.text)
  for (const convert of converters) {
    const made = convert(value)
    if (made !== undefined) return made
  }
  const view = views.convert(value)
  if (view !== undefined) return view
  const inner = (each: unknown): Value => toGroovy(each, mapClass, depth + 1)
  if (Array.isArray(value)) return new ListValue(value.map(inner))
  if (value instanceof Uint8Array) return new ByteArray(Uint8Array.from(value))
  if (value instanceof Set) {
    const made = new HashSetValue(classes.LinkedHashSetClass)
    for (const each of value) made.add(inner(each))
    return made
  }
  const entries = value instanceof Map ? [...value] : isPlainObject(value) ? Object.entries(value) : null
  if (entries === null) return null
  const made = new HashMapValue(mapClass)
  for (const [key, each] of entries) made.put(String(key), inner(each))
  return made
}

/** Conversions of script objects to data, by class. */
const dataOf: ((value: Value) => unknown)[] = []

/** Registers the conversion of a class of scripts to data. */
export function convertValue<T>(type: abstract new (...args: never[]) => T, convert: (value: T) => unknown): void {
  dataOf.push((value) => (value instanceof type ? convert(value) : undefined))
}

/** A value of a script as data of the gateway. */
export function toHost(value: Value, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new RangeError(`a value is nested more than ${MAX_DEPTH} levels deep`)
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
    return value
  }
  tick()
  if (typeof value === 'bigint') return jsonNumber(String(value))
  if (value instanceof GStringValue || value instanceof CharValue) return textOf(value)
  const number = hostNumber(value)
  if (number !== undefined) return number
  for (const convert of dataOf) {
    const made = convert(value)
    if (made !== undefined) return made
  }
  if (value instanceof MapValue) {
    const made: Record<string, unknown> = Object.create(null)
    for (const { key, value: each } of value.entries()) setOwn(made, textOf(key), toHost(each, depth + 1) as never)
    return made
  }
  if (value instanceof ByteArray) return Uint8Array.from(value.bytes)
  if (value instanceof CollectionValue || value instanceof ArrayValue) {
    return value.items.map((each) => toHost(each, depth + 1))
  }
  if (value instanceof EnumValue) return value.constant
  if (value instanceof Instance) {
    const made: Record<string, unknown> = Object.create(null)
    for (const [name, each] of publicProperties(value)) setOwn(made, name, toHost(each, depth + 1) as never)
    return made
  }
  const klass = classOf(value)
  // Dates, URIs, UUIDs and other values of Java are converted to text.
  if (klass.isSubclassOf(classes.CharSequenceInterface) || /^java\.(?:time|util|net)\./.test(klass.name))
    return textOf(value)
  throw new TypeError(`a ${klass.name} can not be passed to the gateway; pass text, numbers, lists or maps`)
}

function hostNumber(value: Value): unknown {
  if (value instanceof BigDecimal) return jsonNumber(jsonText(value))
  if (value instanceof BigIntegerValue) return jsonNumber(String(value.value))
  if (value instanceof ShortValue || value instanceof ByteValue) return value.value
  if (!(value instanceof DoubleValue || value instanceof FloatValue)) return undefined
  if (!Number.isFinite(value.value)) throw new TypeError(`${value.value} is not a JSON number`)
  return jsonNumber(textOf(value))
}

/** `1E+3` is valid JSON. */
function jsonText(value: BigDecimal): string {
  return value.toString()
}
