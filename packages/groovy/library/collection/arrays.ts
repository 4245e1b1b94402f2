// Methods of arrays.
import { extend } from '../../registry/extend.ts'
import { arrayOf, castNow } from '../../runtime/cast.ts'
import { getAt, putAt } from '../../runtime/indexing.ts'
import { invokeMethod } from '../../runtime/invoke.ts'
import { andThen, type Maybe } from '../../runtime/pending.ts'
import { ArrayBaseClass } from '../../values/classes.ts'
import type { ClosureValue } from '../../values/closure.ts'
import type { CollectionValue, ListValue } from '../../values/collection.ts'
import { groovyEquals, javaEquals } from '../../values/equality.ts'
import type { ArrayValue } from '../../values/java-array.ts'
import { toInt } from '../../values/number-tower.ts'
import { IntRange } from '../../values/range.ts'
import type { Value } from '../../values/value.ts'
import { joined } from './iterable.ts'
import { listOf, setOf } from './similar.ts'
import { sorted } from './sorting.ts'

const asList = (self: ArrayValue): ListValue => listOf([...self.items])

function sliced(self: ArrayValue, indexes: Value): Maybe {
  return getAt(asList(self), indexes)
}

/** Sorts the array itself. */
function sortInPlace(self: ArrayValue, callee: Value | null): Maybe {
  return sorted(self.items, callee, (items) => {
    items.forEach((item, index) => {
      self.set(index, item)
    })
    return self
  })
}

function like(self: ArrayValue, items: readonly Value[]): Value {
  return arrayOf(self.component, items)
}

extend(ArrayBaseClass, {
  'length: int': { get: (self: ArrayValue) => self.length },
  'size(): int': (self: ArrayValue) => self.length,
  'isEmpty(): boolean': (self: ArrayValue) => self.length === 0,
  'getAt(Number index): Object': (self: ArrayValue, index: Value) => getAt(self, toInt(index)),
  'getAt(Range range): List': sliced,
  'getAt(Collection indexes): List': sliced,
  'putAt(int index, Object value): void': (self: ArrayValue, index: number, value: Value) => putAt(self, index, value),
  'toList(): List': asList,
  'toSet(): Set': (self: ArrayValue) => setOf(self.items),
  'asList(): List': asList,
  'join(): String': (self: ArrayValue) => joined(self.items, ''),
  'join(String separator): String': (self: ArrayValue, separator: string) => joined(self.items, separator),
  'contains(Object value): boolean': (self: ArrayValue, value: Value) =>
    self.items.some((each) => groovyEquals(each, value)),
  'isCase(Object value): boolean': (self: ArrayValue, value: Value) =>
    self.items.some((each) => javaEquals(each, value)),
  'count(Object value): int': (self: ArrayValue, value: Value) =>
    self.items.filter((each) => groovyEquals(each, value)).length,
  'first(): Object': (self: ArrayValue) => getAt(self, 0),
  'head(): Object': (self: ArrayValue) => getAt(self, 0),
  'last(): Object': (self: ArrayValue) => getAt(self, -1),
  'tail(): Object[]': (self: ArrayValue) => like(self, self.items.slice(1)),
  'init(): Object[]': (self: ArrayValue) => like(self, self.items.slice(0, -1)),
  'take(int count): Object[]': (self: ArrayValue, count: number) => like(self, self.items.slice(0, Math.max(count, 0))),
  'drop(int count): Object[]': (self: ArrayValue, count: number) => like(self, self.items.slice(Math.max(count, 0))),
  'takeRight(int count): Object[]': (self: ArrayValue, count: number) =>
    like(self, count <= 0 ? [] : self.items.slice(-count)),
  'dropRight(int count): Object[]': (self: ArrayValue, count: number) =>
    like(self, count <= 0 ? self.items : self.items.slice(0, -count)),
  'takeWhile(Closure condition): Object[]': (self: ArrayValue, closure: ClosureValue) =>
    andThen(invokeMethod(asList(self), 'takeWhile', [closure]), (list) => like(self, (list as ListValue).items)),
  'dropWhile(Closure condition): Object[]': (self: ArrayValue, closure: ClosureValue) =>
    andThen(invokeMethod(asList(self), 'dropWhile', [closure]), (list) => like(self, (list as ListValue).items)),
  'toUnique(): Object[]': (self: ArrayValue) =>
    andThen(invokeMethod(asList(self), 'toUnique', []), (list) => like(self, (list as ListValue).items)),
  'reverse(): Object[]': (self: ArrayValue) => like(self, [...self.items].reverse()),
  'sort(): Object[]': (self: ArrayValue) => sortInPlace(self, null),
  'sort(Closure closure): Object[]': sortInPlace,
  'sort(boolean mutate): Object[]': (self: ArrayValue, mutate: boolean) =>
    mutate ? sortInPlace(self, null) : sorted(self.items, null, (items) => like(self, items)),
  'toSorted(): Object[]': (self: ArrayValue) => sorted(self.items, null, (items) => like(self, items)),
  'min(): Object': (self: ArrayValue) => invokeMethod(asList(self), 'min', []),
  'max(): Object': (self: ArrayValue) => invokeMethod(asList(self), 'max', []),
  'min(Closure closure): Object': (self: ArrayValue, closure: ClosureValue) =>
    invokeMethod(asList(self), 'min', [closure]),
  'max(Closure closure): Object': (self: ArrayValue, closure: ClosureValue) =>
    invokeMethod(asList(self), 'max', [closure]),
  'average(): Object': (self: ArrayValue) => invokeMethod(asList(self), 'average', []),
  'plus(Object value): Object[]': (self: ArrayValue, value: Value) =>
    like(self, [...self.items, castNow(value, self.component)]),
  'plus(Collection values): Object[]': (self: ArrayValue, values: CollectionValue) =>
    like(self, [...self.items, ...values.items]),
  'plus(Object[] values): Object[]': (self: ArrayValue, values: ArrayValue) =>
    like(self, [...self.items, ...values.items]),
  'minus(Object value): Object[]': (self: ArrayValue, value: Value) =>
    andThen(invokeMethod(asList(self), 'minus', [value]), (list) => like(self, (list as ListValue).items)),
  'flatten(): Collection': (self: ArrayValue) => invokeMethod(asList(self), 'flatten', []),
  'collate(int size): List': (self: ArrayValue, size: number) => invokeMethod(asList(self), 'collate', [size]),
  'withIndex(): List': (self: ArrayValue) => invokeMethod(asList(self), 'withIndex', []),
  'transpose(): List': (self: ArrayValue) => invokeMethod(asList(self), 'transpose', []),
  'clone(): Object[]': (self: ArrayValue) => like(self, self.items),
  'equals(Object other): boolean': (self: ArrayValue, other: Value) => groovyEquals(self, other),
  'getIndices(): IntRange': (self: ArrayValue) => new IntRange(0, self.length, false, true),
})
