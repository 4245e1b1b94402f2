// Methods of all collections.

import { checkCopy } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { arrayOf } from '../../runtime/cast.ts'
import { coerceTo } from '../../runtime/coerce.ts'
import { itemsOf } from '../../runtime/items.ts'
import { andThen, type Maybe } from '../../runtime/pending.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { CollectionInterface, ObjectClass } from '../../values/classes.ts'
import type { ClosureValue } from '../../values/closure.ts'
import { type CollectionValue, ListValue } from '../../values/collection.ts'
import { unsupported } from '../../values/exceptions.ts'
import { HashSetValue } from '../../values/hash-map.ts'
import type { ArrayValue } from '../../values/java-array.ts'
import { frozenList } from '../../values/range.ts'
import { textOf } from '../../values/text.ts'
import { truth } from '../../values/truth.ts'
import type { Value } from '../../values/value.ts'
import { test } from '../closure/closure-calls.ts'
import { filtered } from './iteration.ts'
import { similar } from './similar.ts'
import { containsAny, uniqueItems } from './unique.ts'

function uniqueInPlace(self: CollectionValue, closure: ClosureValue | null): Maybe {
  return uniqueItems(self, closure, (items) => replaced(self, items))
}

/** Replaces the elements of a collection. */
export function replaced(self: CollectionValue, items: Value[]): Value {
  if (self instanceof ListValue) self.replaceAll(items)
  else {
    self.clear()
    for (const item of items) self.add(item)
  }
  return self
}

/** Removes elements; a view of a map removes them from the map. */
function retainItems(self: CollectionValue, kept: Value[]): void {
  if (self instanceof ListValue) {
    self.replaceAll(kept)
    return
  }
  const stays = new Set(kept)
  for (const item of [...self.items]) if (!stays.has(item)) self.delete(item)
}

function removeWhere(self: CollectionValue, condition: (item: Value) => Maybe): Maybe {
  return filtered(
    self,
    (item) => andThen(condition(item), (yes) => !truth(yes)),
    (kept) => {
      const changed = kept.length < self.size
      if (changed) retainItems(self, kept)
      return changed
    },
  )
}

function addAll(self: CollectionValue, values: readonly Value[]): boolean {
  checkCopy(values.length)
  let changed = false
  for (const value of [...values]) changed = self.add(value) || changed
  return changed
}

extend(CollectionInterface, {
  'size(): int': (self: CollectionValue) => self.size,
  'isEmpty(): boolean': (self: CollectionValue) => self.size === 0,
  'add(Object value): boolean': (self: CollectionValue, value: Value) => self.add(value),
  'addAll(Iterable values): boolean': (self: CollectionValue, values: Value) => addAll(self, itemsOf(values)),
  'addAll(Object... values): boolean': (self: CollectionValue, values: Value[]) => addAll(self, values),
  'leftShift(Object value): Collection': (self: CollectionValue, value: Value) => {
    self.add(value)
    return self
  },
  'contains(Object value): boolean': (self: CollectionValue, value: Value) => self.has(value),
  'containsAll(Collection values): boolean': (self: CollectionValue, values: CollectionValue) =>
    values.items.every((value) => self.has(value)),
  'containsAll(Object... values): boolean': (self: CollectionValue, values: Value[]) =>
    values.every((value) => self.has(value)),
  'isCase(Object value): boolean': (self: CollectionValue, value: Value) => self.has(value),
  'remove(Object value): boolean': (self: CollectionValue, value: Value) => self.delete(value),
  'removeElement(Object value): boolean': (self: CollectionValue, value: Value) => self.delete(value),
  'removeAll(Collection values): boolean': (self: CollectionValue, values: CollectionValue) =>
    removeWhere(self, (item) => values.has(item)),
  'removeAll(Object... values): boolean': (self: CollectionValue, values: Value[]) => {
    const isRemoved = containsAny(values)
    return removeWhere(self, isRemoved)
  },
  'removeAll(Closure condition): boolean': (self: CollectionValue, closure: ClosureValue) =>
    removeWhere(self, (item) => test(closure, item)),
  'removeIf(Predicate condition): boolean': (self: CollectionValue, predicate: Value) =>
    removeWhere(self, (item) => test(predicate, item)),
  'retainAll(Collection values): boolean': (self: CollectionValue, values: CollectionValue) =>
    removeWhere(self, (item) => !values.has(item)),
  'retainAll(Closure condition): boolean': (self: CollectionValue, closure: ClosureValue) =>
    removeWhere(self, (item) => andThen(test(closure, item), (yes) => yes !== true)),
  'clear(): void': (self: CollectionValue) => {
    self.clear()
  },
  'unique(): Collection': (self: CollectionValue) => uniqueInPlace(self, null),
  'unique(Closure closure): Collection': uniqueInPlace,
  'unique(boolean mutate): Collection': (self: CollectionValue, mutate: boolean) =>
    mutate ? uniqueInPlace(self, null) : uniqueItems(self, null, (items) => similar(self, items)),
  'unique(boolean mutate, Closure closure): Collection': (
    self: CollectionValue,
    mutate: boolean,
    closure: ClosureValue,
  ) => (mutate ? uniqueInPlace(self, closure) : uniqueItems(self, closure, (items) => similar(self, items))),
  'toArray(): Object[]': (self: CollectionValue) => arrayOf(ObjectClass, self.items),
  'toArray(Object[] type): Object[]': (self: CollectionValue, type: ArrayValue) => arrayOf(type.component, self.items),
  'toListString(): String': (self: CollectionValue) => textOf(self),
  'asImmutable(): Collection': (self: CollectionValue) => frozenOf(self),
  'asUnmodifiable(): Collection': (self: CollectionValue) => frozenOf(self),
  'asSynchronized(): Collection': (self: CollectionValue) => self,
  'asType(Class type): Object': (self: CollectionValue, type: ClassInfo) => coerceTo(self, type),
  'swap(int first, int second): List': (self: CollectionValue, first: number, second: number) => {
    if (!(self instanceof ListValue)) throw unsupported()
    const [left, right] = [self.items[first] as Value, self.items[second] as Value]
    self.set(first, right)
    self.set(second, left)
    return self
  },
})

function frozenOf(self: CollectionValue): Value {
  checkCopy(self.size)
  return self instanceof ListValue ? frozenList([...self.items]) : HashSetValue.frozen(self.items)
}
