// Static methods of java.util: Collections, Arrays, Objects; and Optional, StringJoiner.

import { tick } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { callFunctional } from '../../runtime/invoke.ts'
import { castFailure } from '../../runtime/missing.ts'
import { andThen } from '../../runtime/pending.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { declareClass, LinkedHashSetClass, UnmodifiableListClass } from '../../values/classes.ts'
import { type CollectionValue, ListValue, type MapValue } from '../../values/collection.ts'
import { compareValues } from '../../values/compare.ts'
import { javaEquals } from '../../values/equality.ts'
import { NoSuchElementException, NullPointerException } from '../../values/exceptions.ts'
import { hashOf } from '../../values/hash.ts'
import { HashMapValue, HashSetValue } from '../../values/hash-map.ts'
import type { ArrayValue } from '../../values/java-array.ts'
import { javaText, textOf } from '../../values/text.ts'
import { ThrowableClass, ThrowableValue, throwable } from '../../values/throwable.ts'
import { truth } from '../../values/truth.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { callNow } from '../closure/closure-calls.ts'
import { joinedTexts } from './iterable.ts'

const CollectionsClass = declareClass('java.util.Collections')
export const ArraysClass = declareClass('java.util.Arrays')
const ObjectsClass = declareClass('java.util.Objects')
const OptionalClass = declareClass('java.util.Optional')

const frozenList = (items: readonly Value[]): ListValue => new ListValue([...items], UnmodifiableListClass)

function frozenSet(items: readonly Value[]): HashSetValue {
  const source = new HashSetValue(LinkedHashSetClass)
  for (const each of items) source.add(each)
  return HashSetValue.frozen(source.items)
}

function sortList(list: ListValue, compare: (left: Value, right: Value) => number): void {
  list.replaceAll(
    [...list.items].sort((left, right) => {
      tick()
      return compare(left, right)
    }),
  )
}

const extreme = (items: readonly Value[], sign: number): Value => {
  if (items.length === 0) throw throwable(NoSuchElementException, null)
  return items.reduce((best, each) => (Math.sign(compareValues(each, best)) === sign ? each : best))
}

extend(CollectionsClass, {
  'static emptyList(): List': () => frozenList([]),
  'static emptySet(): Set': () => frozenSet([]),
  'static emptyMap(): Map': () => HashMapValue.frozen(new HashMapValue()),
  'static singletonList(Object? value): List': (value: Value) => frozenList([value]),
  'static singleton(Object? value): Set': (value: Value) => frozenSet([value]),
  'static singletonMap(Object? key, Object? value): Map': (key: Value, value: Value) =>
    HashMapValue.frozen(HashMapValue.of([[key, value]])),
  'static unmodifiableList(List list): List': (list: ListValue) => frozenList(list.items),
  'static unmodifiableSet(Set set): Set': (set: CollectionValue) => frozenSet(set.items),
  'static unmodifiableCollection(Collection items): Collection': (items: CollectionValue) => frozenList(items.items),
  'static unmodifiableMap(Map map): Map': (map: MapValue) => HashMapValue.frozen(map),
  'static synchronizedMap(Map map): Map': (map: MapValue) => map,
  'static synchronizedList(List list): List': (list: ListValue) => list,
  'static sort(List list): void': (list: ListValue) => sortList(list, compareValues),
  'static sort(List list, Comparator order): void': (list: ListValue, order: Value) =>
    sortList(list, (left, right) => Number(textOf(callNow('a comparison', order, left, right)))),
  'static reverse(List list): void': (list: ListValue) => list.replaceAll([...list.items].reverse()),
  'static max(Collection items): Object': ({ items }: CollectionValue) => extreme(items, 1),
  'static min(Collection items): Object': ({ items }: CollectionValue) => extreme(items, -1),
  'static addAll(Collection items, Object... values): boolean': (items: CollectionValue, values: Value[]) => {
    let changed = false
    for (const each of values) changed = items.add(each) || changed
    return changed
  },
  'static frequency(Collection items, Object? value): int': ({ items }: CollectionValue, value: Value) =>
    items.filter((each) => javaEquals(each, value)).length,
})

extend(ArraysClass, {
  'static asList(Object... values): List': (values: Value[]) => new ListValue([...values]),
  ...Object.fromEntries(
    ['Object', 'boolean', 'byte', 'char', 'double', 'float', 'int', 'long', 'short'].map((type) => [
      `static toString(${type}[] array): String`,
      (array: ArrayValue) => `[${joinedTexts(array.items.map(javaText), ', ')}]`,
    ]),
  ),
  'static equals(Object[] left, Object[] right): boolean': (left: ArrayValue, right: ArrayValue) =>
    javaEquals(new ListValue([...left.items]), new ListValue([...right.items])),
  'static equals(byte[] left, byte[] right): boolean': (left: ArrayValue, right: ArrayValue) =>
    textOf(left) === textOf(right),
})

extend(ObjectsClass, {
  'static equals(Object? left, Object? right): boolean': javaEquals,
  'static hash(Object... values): int': (values: Value[]) => hashOf(new ListValue([...values])),
  'static hashCode(Object? value): int': (value: Value) => (value === null ? 0 : hashOf(value)),
  'static isNull(Object? value): boolean': (value: Value) => value === null,
  'static nonNull(Object? value): boolean': (value: Value) => value !== null,
  'static toString(Object? value): String': (value: Value) => javaText(value),
  'static toString(Object? value, String? fallback): String': (value: Value, fallback: string | null) =>
    value === null ? fallback : javaText(value),
  'static requireNonNull(Object? value): Object': (value: Value) => required(value, null),
  'static requireNonNull(Object? value, String message): Object': required,
  'static requireNonNullElse(Object? value, Object fallback): Object': (value: Value, fallback: Value) =>
    value ?? fallback,
})

function required(value: Value, message: string | null): Value {
  if (value === null) throw throwable(NullPointerException, message)
  return value
}

class OptionalValue extends GroovyObject {
  readonly value: Value

  constructor(value: Value) {
    super()
    this.value = value
  }

  get klass(): ClassInfo {
    return OptionalClass
  }
}

/** An Optional. */
export const optional = (value: Value): OptionalValue => new OptionalValue(value)

function present({ value }: OptionalValue): Value {
  if (value === null) throw throwable(NoSuchElementException, 'No value present')
  return value
}

extend(OptionalClass, {
  'static of(Object value): Optional': (value: Value) => optional(required(value, null)),
  'static ofNullable(Object? value): Optional': optional,
  'static empty(): Optional': () => optional(null),
  'isPresent(): boolean': ({ value }: OptionalValue) => value !== null,
  'isEmpty(): boolean': ({ value }: OptionalValue) => value === null,
  'get(): Object': present,
  'orElseThrow(): Object': present,
  'orElseThrow(Supplier make): Object': ({ value }: OptionalValue, make: Value) =>
    value !== null
      ? value
      : andThen(callFunctional(make, []), (error) => {
          throw error instanceof ThrowableValue ? error : castFailure(error, ThrowableClass)
        }),
  'orElse(Object? other): Object': ({ value }: OptionalValue, other: Value) => value ?? other,
  'orElseGet(Supplier make): Object': ({ value }: OptionalValue, make: Value) => value ?? callFunctional(make, []),
  'map(Function change): Optional': ({ value }: OptionalValue, change: Value) =>
    value === null ? optional(null) : andThen(callFunctional(change, [value]), optional),
  'flatMap(Function change): Optional': ({ value }: OptionalValue, change: Value) =>
    value === null ? optional(null) : callFunctional(change, [value]),
  'filter(Predicate test): Optional': (self: OptionalValue, test: Value) =>
    self.value === null
      ? self
      : andThen(callFunctional(test, [self.value]), (kept) => (truth(kept) ? self : optional(null))),
  'ifPresent(Consumer use): void': ({ value }: OptionalValue, use: Value) =>
    value === null ? null : andThen(callFunctional(use, [value]), () => null),
  'asBoolean(): boolean': ({ value }: OptionalValue) => value !== null,
  'toString(): String': ({ value }: OptionalValue) =>
    value === null ? 'Optional.empty' : `Optional[${javaText(value)}]`,
})
