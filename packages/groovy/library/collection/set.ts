// Sets.

import { checkCopy } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { itemsOf } from '../../runtime/items.ts'
import { settled } from '../../runtime/pending.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import {
  HashSetClass,
  LinkedHashSetClass,
  SetInterface,
  SortedSetInterface,
  TreeSetClass,
} from '../../values/classes.ts'
import type { CollectionValue, SetValue } from '../../values/collection.ts'
import { NoSuchElementException } from '../../values/exceptions.ts'
import { type Comparison, HashSetValue } from '../../values/hash-map.ts'
import { isNumber, toInt } from '../../values/number-tower.ts'
import { throwable } from '../../values/throwable.ts'
import type { Value } from '../../values/value.ts'
import { call } from '../closure/closure-calls.ts'
import { similar } from './similar.ts'

/** A comparison by a Comparator, which can not suspend in a sorted collection. */
export function comparisonBy(comparator: Value): Comparison {
  return (left, right) => {
    const order = settled(call(comparator, left, right), 'a comparison')
    return isNumber(order) ? toInt(order) : 0
  }
}

function filled(made: HashSetValue, values: CollectionValue): HashSetValue {
  checkCopy(values.size)
  for (const each of values.items) made.add(each)
  return made
}

const setConstructors = (klass: ClassInfo) => ({
  'new()': () => new HashSetValue(klass),
  'new(Collection values)': (values: CollectionValue) =>
    filled(new HashSetValue(klass, null, Math.max(values.size / 0.75 + 1, 16)), values),
})

extend(HashSetClass, { ...setConstructors(HashSetClass), 'new(int capacity)': () => new HashSetValue(HashSetClass) })
extend(LinkedHashSetClass, { ...setConstructors(LinkedHashSetClass), 'new(int capacity)': () => new HashSetValue() })
extend(TreeSetClass, {
  ...setConstructors(TreeSetClass),
  'new(Comparator comparator)': (comparator: Value) => new HashSetValue(TreeSetClass, comparisonBy(comparator)),
})

function end(self: SetValue, at: 0 | -1): Value {
  const item = self.items.at(at)
  if (item === undefined) throw throwable(NoSuchElementException, null)
  return item
}

extend(SetInterface, {
  'plus(Object value): Set': (self: SetValue, value: Value) => similar(self, [...self.items, value]),
  'plus(Iterable values): Set': (self: SetValue, values: Value) => similar(self, [...self.items, ...itemsOf(values)]),
  'static of(Object... values): Set': (values: Value[]) => HashSetValue.frozen(values),
  'static copyOf(Collection values): Set': (values: CollectionValue) => HashSetValue.frozen(values.items),
})

extend(SortedSetInterface, {
  'first(): Object': (self: SetValue) => end(self, 0),
  'last(): Object': (self: SetValue) => end(self, -1),
  'pollFirst(): Object': (self: SetValue) => polled(self, 0),
  'pollLast(): Object': (self: SetValue) => polled(self, -1),
  'headSet(Object to): SortedSet': (self: HashSetValue, to: Value) =>
    similar(
      self,
      self.items.filter((each) => self.comparison!(each, to) < 0),
    ),
  'tailSet(Object from): SortedSet': (self: HashSetValue, from: Value) =>
    similar(
      self,
      self.items.filter((each) => self.comparison!(each, from) >= 0),
    ),
  'descendingSet(): Set': (self: SetValue) => HashSetValue.of([...self.items].reverse()),
})

function polled(self: SetValue, at: 0 | -1): Value {
  const item = self.items.at(at) ?? null
  if (item !== null) self.delete(item)
  return item
}
