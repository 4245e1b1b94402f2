// `==`, which compares numbers and strings across their types, and `equals`, which does not.
import { spend, tick } from '../meter.ts'
import { settled } from '../runtime/pending.ts'
import { classOf } from './class-of.ts'
import { ComparableInterface, ObjectClass } from './classes.ts'
import { CollectionValue, equality, ListValue, MapEntry, MapValue, SetValue } from './collection.ts'
import { compareForEquality, identical } from './compare.ts'
import { CustomKey, keyOf } from './hash.ts'
import { ArrayValue } from './java-array.ts'
import { isNumber } from './number-tower.ts'
import type { GroovyObject, Value } from './value.ts'

/** `left == right`. */
export function groovyEquals(left: Value, right: Value): boolean {
  if (identical(left, right)) return true
  if (left === null || right === null) return false
  if (typeof left === 'string' && typeof right === 'string') return false
  if (typeof left === 'number' && typeof right === 'number') return false
  if (left instanceof ListValue || left instanceof ArrayValue) {
    return (right instanceof ListValue || right instanceof ArrayValue) && sameItems(left.items, right.items)
  }
  if (left instanceof MapValue) return right instanceof MapValue && sameEntries(left, right)
  if (left instanceof SetValue) return right instanceof SetValue && sameElements(left, right)
  if (left instanceof MapEntry) {
    return right instanceof MapEntry && javaEquals(left.key, right.key) && groovyEquals(left.value, right.value)
  }
  const klass = classOf(left)
  if (klass.isSubclassOf(ComparableInterface)) return compareForEquality(left, right) === 0
  return objectEquals(left as GroovyObject, right)
}

function sameItems(left: readonly Value[], right: readonly Value[]): boolean {
  spend(left.length)
  return left.length === right.length && left.every((each, index) => groovyEquals(each, right[index] as Value))
}

function sameEntries(left: MapValue, right: MapValue): boolean {
  if (left.size !== right.size) return false
  spend(left.size)
  return left.entries().every(({ key, value }) => {
    const other = right.get(key)
    return other !== undefined && groovyEquals(value, other)
  })
}

/** Numbers in sets are compared across their types, as elements of lists are. */
function sameElements(left: SetValue, right: SetValue): boolean {
  if (left.size !== right.size) return false
  spend(left.size)
  return left.items.every((each) => right.has(each) || (isNumber(each) && hasNumber(right, each)))
}

function hasNumber({ items }: SetValue, number: Value): boolean {
  spend(items.length)
  return items.some((each) => groovyEquals(number, each))
}

/** As Java's `equals`. */
export function javaEquals(left: Value, right: Value): boolean {
  if (identical(left, right)) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (left instanceof ListValue) {
    if (!(right instanceof ListValue) || left.size !== right.size) return false
    spend(left.size)
    return left.items.every((each, index) => javaEquals(each, right.items[index] as Value))
  }
  if (left instanceof MapValue) {
    if (!(right instanceof MapValue) || left.size !== right.size) return false
    spend(left.size)
    return left.entries().every(({ key, value }) => right.has(key) && javaEquals(value, right.get(key) as Value))
  }
  if (left instanceof SetValue) {
    return right instanceof SetValue && left.size === right.size && left.items.every((each) => right.has(each))
  }
  if (left instanceof CollectionValue) return false
  tick()
  const key = keyOf(left)
  return key instanceof CustomKey ? objectEquals(left, right) : key === keyOf(right)
}

/** The result of the class's `equals`. */
function objectEquals(left: GroovyObject, right: Value): boolean {
  const key = left.equalityKey()
  if (key !== null) return classOf(right) === left.klass && (right as GroovyObject).equalityKey() === key
  const group = left.klass.method('equals')
  if (group === null || group.overloads[0] === ObjectClass.method('equals')?.overloads[0]) return left === right
  return settled(group.tryInvoke(left, [right]) ?? false, 'equals') === true
}

equality.equals = javaEquals
