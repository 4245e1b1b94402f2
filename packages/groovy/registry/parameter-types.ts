// Matching and conversion of arguments for parameters of the library's methods.
import type { ClassInfo } from '../values/class-info.ts'
import { classOf } from '../values/class-of.ts'
import {
  BigDecimalClass,
  BigIntegerClass,
  ByteClass,
  CharacterClass,
  CharSequenceInterface,
  ClosureClass,
  DoubleClass,
  FloatClass,
  IntegerClass,
  LongClass,
  libraryClass,
  NumberClass,
  ObjectClass,
  ShortClass,
  StringClass,
} from '../values/classes.ts'
import { ClosureValue } from '../values/closure.ts'
import { nullPointer } from '../values/exceptions.ts'
import { GStringValue } from '../values/gstring.ts'
import { ArrayValue } from '../values/java-array.ts'
import type { ParameterType, VariableParameter } from '../values/method-group.ts'
import { toDouble, toInt, toLong } from '../values/number-tower.ts'
import { textOf } from '../values/text.ts'
import type { Value } from '../values/value.ts'
import type { WrittenType } from './signature.ts'

/** Widening conversions of each numeric class, in order of overload preference. */
const WIDENING: ReadonlyMap<ClassInfo, readonly string[]> = new Map([
  [ByteClass, ['byte', 'short', 'int', 'long', 'float', 'double']],
  [ShortClass, ['short', 'int', 'long', 'float', 'double']],
  [CharacterClass, ['char']],
  [IntegerClass, ['int', 'long', 'float', 'double']],
  [LongClass, ['long', 'float', 'double']],
  [FloatClass, ['float', 'double']],
  [DoubleClass, ['double']],
  [BigIntegerClass, ['int', 'float', 'double']],
  [BigDecimalClass, ['float', 'double']],
])

const CONVERSIONS: ReadonlyMap<string, (value: Value) => unknown> = new Map<string, (value: Value) => unknown>([
  ['byte', toInt],
  ['short', toInt],
  ['int', toInt],
  ['long', toLong],
  ['float', toDouble],
  ['double', toDouble],
  ['char', (value) => textOf(value).charAt(0)],
])

/** Widening distance of a value to a primitive type; -1 if it does not widen. */
function wideningDistance(value: Value, primitive: string): number {
  if (value === null) return -1
  return WIDENING.get(classOf(value))?.indexOf(primitive) ?? -1
}

/** A number, passed as a JavaScript number; `long` as a bigint, `char` as a string of one character. */
function primitiveType(name: string): ParameterType {
  if (name === 'boolean') {
    return { name, distance: (value) => (typeof value === 'boolean' ? 0 : -1), convert: (value) => value }
  }
  const distance = (value: Value): number => {
    if (name === 'int' && typeof value === 'number') return 0
    return wideningDistance(value, name)
  }
  return { name, distance, convert: CONVERSIONS.get(name) as (value: Value) => unknown }
}

const anything: ParameterType = { name: 'Object', distance: objectDistance, convert: (value) => value }

function objectDistance(value: Value): number {
  return value === null ? 0 : 300
}

/** A class: accepts its instances, and closures for a functional interface. */
function classType(name: string, klass: ClassInfo): ParameterType {
  if (klass === ObjectClass) return anything
  if (klass === StringClass)
    return { name, distance: stringDistance, convert: (value) => (value === null ? null : textOf(value)) }
  if (klass === CharSequenceInterface) return { name, distance: sequenceDistance, convert: (value) => value }
  const distance = (value: Value): number => {
    if (value === null) return NULL_DISTANCE
    const own = classOf(value)
    if (own === klass) return 0
    const steps = own.distanceTo(klass)
    if (steps >= 0) return steps
    return value instanceof ClosureValue && klass.functional !== null ? CLOSURE_DISTANCE : boxedDistance(value, klass)
  }
  return { name, distance, convert: (value) => value }
}

/** For null, Object has the best match, then any other type. */
const NULL_DISTANCE = 10
/** A closure matches Closure best, then any functional interface. */
const CLOSURE_DISTANCE = 20

const PRIMITIVE_OF: ReadonlyMap<ClassInfo, string> = new Map([
  [ByteClass, 'byte'],
  [ShortClass, 'short'],
  [IntegerClass, 'int'],
  [LongClass, 'long'],
  [FloatClass, 'float'],
  [DoubleClass, 'double'],
])

/** `Long` accepts the same arguments as `long`, with a lower score. */
function boxedDistance(value: Value, klass: ClassInfo): number {
  const primitive = PRIMITIVE_OF.get(klass)
  if (primitive !== undefined) {
    const distance = wideningDistance(value, primitive)
    return distance < 0 ? -1 : distance + 1
  }
  const isBig = klass === BigDecimalClass || klass === BigIntegerClass
  if (!isBig || !classOf(value).isSubclassOf(NumberClass)) return -1
  return klass === BigDecimalClass || wideningDistance(value, 'long') >= 0 ? 8 : -1
}

function stringDistance(value: Value): number {
  if (typeof value === 'string') return 0
  if (value instanceof GStringValue) return 1
  return value === null ? NULL_DISTANCE : -1
}

function sequenceDistance(value: Value): number {
  if (typeof value === 'string') return 1
  if (value === null) return NULL_DISTANCE
  return classOf(value).distanceTo(CharSequenceInterface)
}

/** An array; `byte[]` is passed as a ByteArray, others as an ArrayValue. */
function arrayType(name: string, component: string): ParameterType {
  const klass = libraryClass(component)
  if (klass === undefined) throw new TypeError(`no class ${component} in the library`)
  return { name, distance: distanceToArray(klass), convert: (value) => value }
}

/** `Object...`, passed as a JavaScript array of converted elements. */
function variableType(name: string): VariableParameter {
  const element = parameterType({ name, dots: false, nullable: false })
  const array = parameterType({ name: `${name}[]`, dots: false, nullable: false })
  return {
    name: `${name}...`,
    element,
    distance: (value) => (value === null ? -1 : array.distance(value)),
    convert: (value) => (value as ArrayValue).items.map((each) => element.convert(each)),
    gather: (values) => values.map((each) => element.convert(each)),
  }
}

/** A parameter type of a table; its class is looked up at the first call. */
export function parameterType({ name, dots, nullable }: WrittenType): ParameterType {
  if (dots) return variableType(name)
  if (name === 'boolean' || CONVERSIONS.has(name)) return primitiveType(name)
  if (name === 'Object') return anything
  const type = lazily(name, () => {
    if (name.endsWith('[]')) return arrayType(name, name.slice(0, -2))
    const klass = libraryClass(name)
    if (klass === undefined) throw new TypeError(`no class ${name} in the library`)
    return klass === ClosureClass ? closureType : classType(name, klass)
  })
  return nullable ? type : { ...type, convert: (value) => type.convert(present(value)) }
}

/** Null is rejected for implementations, unless their signature allows it. */
function present(value: Value): Value {
  if (value === null) throw nullPointer(null)
  return value
}

const closureType: ParameterType = {
  name: 'Closure',
  distance: (value) => (value instanceof ClosureValue ? 0 : value === null ? NULL_DISTANCE : -1),
  convert: (value) => value,
}

function lazily(name: string, make: () => ParameterType): ParameterType {
  let made: ParameterType | null = null
  const type = (): ParameterType => {
    made ??= make()
    return made
  }
  return { name, distance: (value) => type().distance(value), convert: (value) => type().convert(value) }
}

/** Match score of values for a class, for methods and closures of scripts. */
export function distanceTo(klass: ClassInfo): (value: Value) => number {
  if (klass.kind === 'primitive') return primitiveType(klass.name).distance
  if (klass.kind === 'array') return distanceToArray(klass.component as ClassInfo)
  return classType(klass.simpleName, klass).distance
}

function distanceToArray(component: ClassInfo): (value: Value) => number {
  const fits = (value: ArrayValue): boolean =>
    value.component === component || (component.kind !== 'primitive' && value.component.isSubclassOf(component))
  return (value) => (value === null ? NULL_DISTANCE : value instanceof ArrayValue && fits(value) ? 0 : -1)
}
