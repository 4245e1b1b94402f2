// Methods of maps.

import { boundedText, checkCopy } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { eachItem, loop, NEXT } from '../../runtime/iterate.ts'
import { after, andThen, type Maybe, PENDING } from '../../runtime/pending.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import {
  HashMapClass,
  LinkedHashMapClass,
  MapEntryInterface,
  MapInterface,
  SortedMapInterface,
  TreeMapClass,
} from '../../values/classes.ts'
import { ClosureValue } from '../../values/closure.ts'
import { type CollectionValue, ListValue, MapEntry, type MapValue } from '../../values/collection.ts'
import { groovyEquals, javaEquals } from '../../values/equality.ts'
import { illegalArgument, NoSuchElementException, nullPointer } from '../../values/exceptions.ts'
import { HashMapValue } from '../../values/hash-map.ts'
import { textOf } from '../../values/text.ts'
import { throwable } from '../../values/throwable.ts'
import { truth } from '../../values/truth.ts'
import type { Value } from '../../values/value.ts'
import { call, callOnEntry, test } from '../closure/closure-calls.ts'
import { extreme } from '../collection/iterable.ts'
import { comparisonBy } from '../collection/set.ts'
import { compareAny, sorted } from '../collection/sorting.ts'
import { addPair } from './pairs.ts'
import { EntrySet, KeySet, MapValues } from './views.ts'
import { MapWithDefault } from './with-default.ts'

function copyOf(map: MapValue, klass: ClassInfo = similarClass(map)): HashMapValue {
  checkCopy(map.size)
  const made = new HashMapValue(klass, map instanceof HashMapValue ? map.comparison : null)
  putAll(made, map)
  return made
}

/** The new map of methods that return one: sorted for a sorted map, otherwise in insertion order. */
function similarClass({ klass }: MapValue): ClassInfo {
  return klass === TreeMapClass ? klass : LinkedHashMapClass
}

function putAll(target: MapValue, source: MapValue): MapValue {
  for (const { key, value } of source.entries()) target.put(key, value)
  return target
}

function fromEntries(entries: readonly Value[]): HashMapValue {
  return HashMapValue.of(entries.map((each) => [(each as MapEntry).key, (each as MapEntry).value]))
}

/** Computes the value of a missing or null entry. */
function computeIfAbsent(self: MapValue, key: Value, make: Value): Maybe {
  const known = self.get(key) ?? null
  if (known !== null) return known
  const store = (value: Value): Value => {
    if (value !== null) self.put(key, value)
    return value
  }
  const made = call(make, key)
  return made === PENDING ? after(store) : store(made)
}

function storeOrDelete(self: MapValue, key: Value, value: Value): Value {
  if (value === null) self.delete(key)
  else self.put(key, value)
  return value
}

function sortedMap(self: MapValue, callee: Value): Maybe {
  const entries = self.entries()
  if (callee instanceof ClosureValue) return sorted(entries, callee, fromEntries)
  const byKey = entries.map((entry) => entry.key)
  return sorted(byKey, callee, (keys) => HashMapValue.of(keys.map((key) => [key, self.get(key) as Value])))
}

function removeWhere(self: MapValue, condition: (entry: MapEntry) => Maybe): Maybe {
  const removed: MapEntry[] = []
  return loop(
    [...self.entries()],
    condition,
    (yes, entry) => {
      if (yes === true) removed.push(entry)
      return NEXT
    },
    () => {
      for (const { key } of removed) self.delete(key)
      return removed.length > 0
    },
  )
}

function pairsOf(values: readonly Value[]): HashMapValue {
  if (values.length % 2 !== 0) throw illegalArgument('length is odd')
  const made = new HashMapValue()
  for (let index = 0; index < values.length; index += 2) made.put(values[index] as Value, values[index + 1] as Value)
  return HashMapValue.frozen(made)
}

extend(MapInterface, {
  'size(): int': (self: MapValue) => self.size,
  'isEmpty(): boolean': (self: MapValue) => self.size === 0,
  'get(Object key): Object': (self: MapValue, key: Value) => self.get(key) ?? null,
  'get(Object key, Object defaultValue): Object': (self: MapValue, key: Value, otherwise: Value) => {
    if (!self.has(key)) self.put(key, otherwise)
    return self.get(key) ?? null
  },
  'getAt(Object key): Object': (self: MapValue, key: Value) => self.get(key) ?? null,
  'getOrDefault(Object key, Object defaultValue): Object': (self: MapValue, key: Value, otherwise: Value) =>
    self.has(key) ? (self.get(key) ?? null) : otherwise,
  'put(Object key, Object value): Object': (self: MapValue, key: Value, value: Value) => {
    const before = self.has(key) ? (self.get(key) ?? null) : null
    self.put(key, value)
    return before
  },
  'putAt(Object key, Object value): Object': (self: MapValue, key: Value, value: Value) => {
    self.put(key, value)
    return value
  },
  'putAll(Map values): void': (self: MapValue, values: MapValue) => {
    putAll(self, values)
  },
  'putAll(Collection entries): Map': (self: MapValue, entries: CollectionValue) => {
    for (const each of entries.items) addPair(self, each)
    return self
  },
  'putIfAbsent(Object key, Object value): Object': (self: MapValue, key: Value, value: Value) => {
    const known = self.get(key) ?? null
    if (known === null) self.put(key, value)
    return known
  },
  'computeIfAbsent(Object key, Function make): Object': computeIfAbsent,
  'computeIfPresent(Object key, BiFunction make): Object': (self: MapValue, key: Value, make: Value) => {
    const known = self.get(key) ?? null
    if (known === null) return null
    return andThen(call(make, key, known), (value) => storeOrDelete(self, key, value))
  },
  'compute(Object key, BiFunction make): Object': (self: MapValue, key: Value, make: Value) =>
    andThen(call(make, key, self.get(key) ?? null), (value) => storeOrDelete(self, key, value)),
  'merge(Object key, Object value, BiFunction combine): Object': (
    self: MapValue,
    key: Value,
    value: Value,
    combine: Value,
  ) => {
    const known = self.get(key) ?? null
    if (known === null) return storeOrDelete(self, key, value)
    return andThen(call(combine, known, value), (made) => storeOrDelete(self, key, made))
  },
  'replace(Object key, Object value): Object': (self: MapValue, key: Value, value: Value) => {
    if (!self.has(key)) return null
    const before = self.get(key) ?? null
    self.put(key, value)
    return before
  },
  'replaceAll(BiFunction make): void': (self: MapValue, make: Value) =>
    eachItem(
      [...self.entries()],
      ({ key, value }) => andThen(call(make, key, value), (made) => storeValue(self, key, made)),
      () => null,
    ),
  'containsKey(Object key): boolean': (self: MapValue, key: Value) => self.has(key),
  'containsValue(Object value): boolean': (self: MapValue, value: Value) =>
    self.entries().some((entry) => javaEquals(entry.value, value)),
  'isCase(Object key): boolean': (self: MapValue, key: Value) => truth(self.get(key) ?? null),
  'remove(Object key): Object': (self: MapValue, key: Value) => {
    const before = self.has(key) ? (self.get(key) ?? null) : null
    self.delete(key)
    return before
  },
  'remove(Object key, Object value): boolean': (self: MapValue, key: Value, value: Value) => {
    if (!self.has(key) || !javaEquals(self.get(key) ?? null, value)) return false
    self.delete(key)
    return true
  },
  'clear(): void': (self: MapValue) => {
    self.clear()
  },
  'keySet(): Set': (self: MapValue) => new KeySet(self),
  'values(): Collection': (self: MapValue) => new MapValues(self),
  'entrySet(): Set': (self: MapValue) => new EntrySet(self),
  'forEach(BiConsumer action): void': (self: MapValue, action: Value) =>
    eachItem(
      self.entries(),
      (entry) => (action instanceof ClosureValue ? callOnEntry(action, entry) : call(action, entry.key, entry.value)),
      () => null,
    ),
  'reverseEach(Closure closure): Map': (self: MapValue, closure: ClosureValue) =>
    eachItem(
      [...self.entries()].reverse(),
      (entry) => callOnEntry(closure, entry),
      () => self,
    ),
  'subMap(Collection keys): Map': (self: MapValue, keys: CollectionValue) =>
    HashMapValue.of(keys.items.filter((key) => self.has(key)).map((key) => [key, self.get(key) as Value])),
  'subMap(Object... keys): Map': (self: MapValue, keys: Value[]) =>
    HashMapValue.of(keys.filter((key) => self.has(key)).map((key) => [key, self.get(key) as Value])),
  'plus(Map other): Map': (self: MapValue, other: MapValue) => putAll(copyOf(self), other),
  'plus(Collection entries): Map': (self: MapValue, entries: CollectionValue) => {
    const made = copyOf(self)
    for (const each of entries.items) addPair(made, each)
    return made
  },
  'plus(CharSequence text): String': (self: MapValue, text: Value) => boundedText(textOf(self) + textOf(text)),
  'minus(Map other): Map': (self: MapValue, other: MapValue) =>
    fromEntries(
      self.entries().filter(({ key, value }) => !other.has(key) || !groovyEquals(other.get(key) ?? null, value)),
    ),
  'leftShift(Map other): Map': (self: MapValue, other: MapValue) => putAll(self, other),
  'leftShift(Map.Entry entry): Map': (self: MapValue, { key, value }: MapEntry) => {
    self.put(key, value)
    return self
  },
  'intersect(Map other): Map': (self: MapValue, other: MapValue) =>
    fromEntries(
      self.entries().filter(({ key, value }) => other.has(key) && groovyEquals(other.get(key) ?? null, value)),
    ),
  'withDefault(Closure make): Map': (self: MapValue, make: ClosureValue) => new MapWithDefault(self, make),
  'sort(): Map': (self: MapValue) => putAll(new HashMapValue(TreeMapClass), self),
  'sort(Closure closure): Map': sortedMap,
  'sort(Comparator comparator): Map': sortedMap,
  'toSorted(): Map': (self: MapValue) =>
    fromEntries([...self.entries()].sort((left, right) => compareAny(left.value, right.value))),
  'toSorted(Closure closure): Map': sortedMap,
  'toSorted(Comparator comparator): Map': (self: MapValue, comparator: Value) =>
    sorted(self.entries(), comparator, fromEntries),
  'min(Closure closure): Map.Entry': (self: MapValue, closure: ClosureValue) => extreme(self, closure, -1),
  'max(Closure closure): Map.Entry': (self: MapValue, closure: ClosureValue) => extreme(self, closure, 1),
  'groupEntriesBy(Closure closure): Map': (self: MapValue, closure: ClosureValue) => {
    const groups = new HashMapValue()
    return loop(
      self.entries(),
      (entry) => callOnEntry(closure, entry),
      (key, entry) => {
        const list = (groups.get(key) ?? new ListValue()) as ListValue
        list.add(entry)
        groups.put(key, list)
        return NEXT
      },
      () => groups,
    )
  },
  'removeAll(Closure condition): boolean': (self: MapValue, closure: ClosureValue) =>
    removeWhere(self, (entry) => test(closure, entry)),
  'retainAll(Closure condition): boolean': (self: MapValue, closure: ClosureValue) =>
    removeWhere(self, (entry) => andThen(test(closure, entry), (yes) => yes !== true)),
  'take(int count): Map': (self: MapValue, count: number) => fromEntries(self.entries().slice(0, Math.max(count, 0))),
  'drop(int count): Map': (self: MapValue, count: number) => fromEntries(self.entries().slice(Math.max(count, 0))),
  'toMapString(): String': (self: MapValue) => textOf(self),
  'asImmutable(): Map': (self: MapValue) => HashMapValue.frozen(self),
  'asUnmodifiable(): Map': (self: MapValue) => HashMapValue.frozen(self),
  'asSynchronized(): Map': (self: MapValue) => self,
  'static of(Object... pairs): Map': (pairs: Value[]) => pairsOf(pairs),
  'static copyOf(Map values): Map': (values: MapValue) => HashMapValue.frozen(values),
  'static entry(Object key, Object value): Map.Entry': (key: Value, value: Value) => {
    if (key === null || value === null) throw nullPointer(null)
    return new MapEntry(key, value)
  },
  'static ofEntries(Map.Entry... entries): Map': (entries: Value[]) => HashMapValue.frozen(fromEntries(entries)),
})

function storeValue(self: MapValue, key: Value, value: Value): Value {
  self.put(key, value)
  return null
}

const mapConstructors = (klass: ClassInfo) => ({
  'new()': () => new HashMapValue(klass),
  'new(Map values)': (values: MapValue) => putAll(new HashMapValue(klass, null, values.size / 0.75 + 1), values),
})

extend(HashMapClass, { ...mapConstructors(HashMapClass), 'new(int capacity)': () => new HashMapValue(HashMapClass) })
extend(LinkedHashMapClass, { ...mapConstructors(LinkedHashMapClass), 'new(int capacity)': () => new HashMapValue() })
extend(TreeMapClass, {
  ...mapConstructors(TreeMapClass),
  'new(Comparator comparator)': (comparator: Value) => new HashMapValue(TreeMapClass, comparisonBy(comparator)),
})

function endEntry(self: MapValue, at: 0 | -1): MapEntry {
  const entry = self.entries().at(at)
  if (entry === undefined) throw throwable(NoSuchElementException, null)
  return entry
}

extend(SortedMapInterface, {
  'firstKey(): Object': (self: MapValue) => endEntry(self, 0).key,
  'lastKey(): Object': (self: MapValue) => endEntry(self, -1).key,
  'firstEntry(): Map.Entry': (self: MapValue) => self.entries().at(0) ?? null,
  'lastEntry(): Map.Entry': (self: MapValue) => self.entries().at(-1) ?? null,
})

extend(MapEntryInterface, {
  'getKey(): Object': (self: MapEntry) => self.key,
  'getValue(): Object': (self: MapEntry) => self.value,
  'setValue(Object value): Object': (self: MapEntry, value: Value) => {
    const before = self.value
    self.value = value
    return before
  },
  'key: Object': { get: (self: MapEntry) => self.key },
  'value: Object': {
    get: (self: MapEntry) => self.value,
    set: (self: MapEntry, value: Value) => {
      self.value = value
    },
  },
})
