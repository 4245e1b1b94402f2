// Conversion to a declared type: `(Type) value`, typed variables and parameters.

import { checkCopy } from '../meter.ts'
import type { ClassInfo } from '../values/class-info.ts'
import { classOf } from '../values/class-of.ts'
import {
  ArrayListClass,
  BigDecimalClass,
  BigIntegerClass,
  BooleanClass,
  ByteClass,
  CharacterClass,
  CollectionInterface,
  DoubleClass,
  FloatClass,
  IntegerClass,
  LinkedHashSetClass,
  LongClass,
  MapInterface,
  ObjectClass,
  ShortClass,
  StringClass,
} from '../values/classes.ts'
import { ClosureValue } from '../values/closure.ts'
import { CollectionValue, ListValue, MapValue } from '../values/collection.ts'
import { nullPointer } from '../values/exceptions.ts'
import { GStringValue } from '../values/gstring.ts'
import { InterfaceProxy } from '../values/interface-proxy.ts'
import { ArrayValue, ByteArray, ObjectArray } from '../values/java-array.ts'
import { isNumber, toBigDecimal, toBigInt, toDouble, toInt, toLong } from '../values/number-tower.ts'
import { BigIntegerValue, ByteValue, CharValue, DoubleValue, FloatValue, ShortValue } from '../values/numbers.ts'
import { textOf } from '../values/text.ts'
import { truth } from '../values/truth.ts'
import type { Value } from '../values/value.ts'
import { construct } from './invoke.ts'
import { castFailure } from './missing.ts'
import { type Maybe, settled } from './pending.ts'

/** Converts a number to a numeric class. */
const TO_NUMBER: ReadonlyMap<string, (value: Value) => Value> = new Map<string, (value: Value) => Value>([
  ['int', toInt],
  [IntegerClass.name, toInt],
  ['long', toLong],
  [LongClass.name, toLong],
  ['short', (value) => new ShortValue(toInt(value))],
  [ShortClass.name, (value) => new ShortValue(toInt(value))],
  ['byte', (value) => ByteValue.of(toInt(value))],
  [ByteClass.name, (value) => ByteValue.of(toInt(value))],
  ['double', (value) => new DoubleValue(toDouble(value))],
  [DoubleClass.name, (value) => new DoubleValue(toDouble(value))],
  ['float', (value) => new FloatValue(toDouble(value))],
  [FloatClass.name, (value) => new FloatValue(toDouble(value))],
  [BigIntegerClass.name, (value) => new BigIntegerValue(toBigInt(value))],
  [BigDecimalClass.name, toBigDecimal],
])

/** The conversion of numbers to this class; undefined for other classes. */
export function numberConversion(klass: ClassInfo): ((value: Value) => Value) | undefined {
  return TO_NUMBER.get(klass.name)
}

/** Converts a value to a class, or throws GroovyCastException. */
export function castTo(value: Value, klass: ClassInfo): Maybe {
  if (klass === ObjectClass) return value
  const own = classOf(value)
  if (own === klass) return value
  if (klass.kind === 'primitive') return castToPrimitive(value, klass)
  if (value === null || own.isSubclassOf(klass)) return value
  if (klass === StringClass) return textOf(value)
  if (klass === BooleanClass) return truth(value)
  if (klass === CharacterClass) return castToChar(value, klass)
  const toNumber = TO_NUMBER.get(klass.name)
  if (toNumber !== undefined) return castToNumber(value, klass, toNumber)
  return castToOther(value, klass)
}

/** As `castTo`, where the value is needed at once: to store it, or as an element. */
export function castNow(value: Value, klass: ClassInfo): Value {
  return settled(castTo(value, klass), 'a conversion')
}

function castToPrimitive(value: Value, klass: ClassInfo): Value {
  if (klass.name === 'int' && typeof value === 'number') return value
  if (klass.name === 'boolean') return truth(value)
  if (klass.name === 'void') return null
  if (klass.name === 'char') {
    if (value === null) throw nullPointer(null)
    return castToChar(value, klass)
  }
  if (value === null) throw castFailure(value, klass)
  return castToNumber(value, klass, TO_NUMBER.get(klass.name)!)
}

function castToNumber(value: Value, klass: ClassInfo, convert: (value: Value) => Value): Value {
  if (isNumber(value) || value instanceof CharValue) return convert(value)
  if (isCharacterText(value)) return convert(textOf(value).charCodeAt(0))
  throw castFailure(value, klass)
}

function isCharacterText(value: Value): boolean {
  return (
    (typeof value === 'string' && value.length === 1) || (value instanceof GStringValue && textOf(value).length === 1)
  )
}

function castToChar(value: Value, klass: ClassInfo): Value {
  if (value instanceof CharValue) return value
  if (isNumber(value)) return CharValue.of(toInt(value))
  const text = textOf(value)
  if (text.length === 1) return CharValue.of(text.charCodeAt(0))
  throw castFailure(value, klass)
}

function castToOther(value: Value, klass: ClassInfo): Maybe {
  if (klass.kind === 'array') return castToArray(value, klass)
  if (value instanceof ClosureValue && klass.functional !== null) return new InterfaceProxy(klass, value)
  if (klass.kind === 'enum' && (typeof value === 'string' || value instanceof GStringValue)) {
    return klass.staticMethod('valueOf')!.invoke(klass, [textOf(value)])
  }
  if (value instanceof CollectionValue || value instanceof ArrayValue || value instanceof MapValue) {
    const made = castCollection(value, klass)
    if (made !== undefined) return made
  }
  throw castFailure(value, klass)
}

/** A collection of another class with the same elements, or an object constructed with the elements as arguments. */
function castCollection(value: CollectionValue | ArrayValue | MapValue, klass: ClassInfo): Maybe | undefined {
  if (value instanceof MapValue) {
    if (klass.kind === 'interface' && klass.functional !== null) return new InterfaceProxy(klass, value)
    return canConstruct(klass) || klass.isSubclassOf(MapInterface) ? construct(klass, [value]) : undefined
  }
  if (LinkedHashSetClass.isSubclassOf(klass)) return collectionOf(value.items, klass)
  if (value instanceof ArrayValue && ArrayListClass.isSubclassOf(klass)) return collectionOf(value.items, klass)
  if (value instanceof ListValue && canConstruct(klass) && !klass.isSubclassOf(CollectionInterface)) {
    return construct(klass, [...value.items])
  }
  return undefined
}

function canConstruct(klass: ClassInfo): boolean {
  return klass.constructors.length > 0 && klass.kind === 'class'
}

/** Default implementations of collection interfaces; set by the library. */
export const collectionMakers = new Map<ClassInfo, (items: readonly Value[]) => Maybe>()

/** A new collection of a class, which may be an interface. */
export function collectionOf(items: readonly Value[], klass: ClassInfo): Maybe | undefined {
  checkCopy(items.length)
  const make = collectionMakers.get(klass)
  if (make !== undefined) return make(items)
  return klass.constructors.length > 0 ? construct(klass, [new ListValue([...items])]) : undefined
}

/** An array of a class from a collection, another array, or the characters of a string. */
function castToArray(value: Value, klass: ClassInfo): Value {
  const component = klass.component as ClassInfo
  const items = itemsForArray(value)
  if (items === null) throw castFailure(value, klass)
  return arrayOf(component, items)
}

export function arrayOf(component: ClassInfo, items: readonly Value[]): ArrayValue {
  checkCopy(items.length)
  const converted = items.map((each) => castNow(each, component))
  if (component.name === 'byte') return new ByteArray(Uint8Array.from(converted, (each) => (each as ByteValue).value))
  return new ObjectArray(component, converted)
}

function itemsForArray(value: Value): readonly Value[] | null {
  if (value instanceof CollectionValue || value instanceof ArrayValue) return value.items
  return null
}
