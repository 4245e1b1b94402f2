// Methods of all iterables.

import { allocate, checkCopy, checkText, spend, tick } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { getAt } from '../../runtime/indexing.ts'
import { IteratorValue, itemsOf, iterationOf } from '../../runtime/items.ts'
import { collectItems, eachItem, loop, NEXT } from '../../runtime/iterate.ts'
import { bitwiseNegate, divide, negative, positive } from '../../runtime/operators.ts'
import { andThen, type Maybe } from '../../runtime/pending.ts'
import { HashSetClass, IterableInterface, IteratorInterface } from '../../values/classes.ts'
import type { ClosureValue } from '../../values/closure.ts'
import { CollectionValue, ListValue } from '../../values/collection.ts'
import { compareValues, naturalCompare } from '../../values/compare.ts'
import { groovyEquals, javaEquals } from '../../values/equality.ts'
import { illegalArgument, NoSuchElementException } from '../../values/exceptions.ts'
import { HashMapValue, HashSetValue } from '../../values/hash-map.ts'
import { ArrayValue } from '../../values/java-array.ts'
import { toInt } from '../../values/number-tower.ts'
import { textOf } from '../../values/text.ts'
import { throwable } from '../../values/throwable.ts'
import type { Value } from '../../values/value.ts'
import { call, callOn } from '../closure/closure-calls.ts'
import { prefixLength } from '../closure/prefix-length.ts'
import { sumBy, summed } from './aggregation.ts'
import { listOf, setOf, similar } from './similar.ts'
import { comparingBy, sorted } from './sorting.ts'
import { containsAny, distinct, uniqueItems } from './unique.ts'

/** Joins the texts of all items with a separator. */
export function joined(items: readonly Value[], separator: string): string {
  return joinedTexts(items.map(counted), separator)
}

function counted(value: Value): string {
  tick()
  return textOf(value)
}

/** Joins texts, whose length is checked before. */
export function joinedTexts(texts: readonly string[], separator: string): string {
  checkText(texts.reduce((sum, each) => sum + each.length + separator.length, 0))
  return texts.join(separator)
}

/** The smallest (-1) or largest (1) item, by a closure or natural order; without a closure nulls are ignored. */
export function extreme(self: Value, callee: Value | null, wanted: number): Maybe {
  const { compare, key } = comparingBy(callee)
  let best: Value | undefined
  let bestKey: Value = null
  return loop(
    iterationOf(self),
    (item) => {
      if (callee === null) return item === null ? 0 : best === undefined ? wanted : compareValues(item, best)
      if (key === null) return best === undefined ? wanted : compare(item, best)
      return andThen(callOn(key, item), (value) => {
        const order = best === undefined ? wanted : compareValues(value, bestKey)
        if (order * wanted > 0) bestKey = value
        return order
      })
    },
    (order, item) => {
      if ((order as number) * wanted > 0) best = item
      return NEXT
    },
    () => best ?? null,
  )
}

/** Flattens nested lists. */
function flattened(items: readonly Value[], into: Value[] = []): Value[] {
  for (const item of items) {
    tick()
    if (item instanceof CollectionValue || item instanceof ArrayValue) flattened(item.items, into)
    else into.push(item)
    if (into.length % 1024 === 0) allocate(1024)
  }
  return into
}

/** The elements of a collection without those of another. */
function without(self: Value, removed: readonly Value[]): Value {
  const isRemoved = containsAny(removed)
  return similar(
    self,
    itemsOf(self).filter((item) => !isRemoved(item)),
  )
}

function average(self: Value): Maybe {
  const items = itemsOf(self)
  return andThen(summed(items, undefined), (sum) => divide(sum, items.length))
}

/** The Cartesian product of lists. */
function combinations(lists: readonly (readonly Value[])[]): Value[] {
  if (lists.length === 0) return []
  const count = lists.reduce((product, list) => product * list.length, 1)
  checkCopy(count * Math.max(lists.length, 1))
  return Array.from({ length: count }, (_, index) => {
    // The first list changes fastest, as the last digit of a number.
    let rest = index
    const items = lists.map((list) => {
      const item = list[rest % list.length] as Value
      rest = Math.floor(rest / list.length)
      return item
    })
    spend(items.length)
    return new ListValue(items)
  })
}

/** Splits items into lists of a size; each starts `step` elements after the previous one. */
function collated(items: readonly Value[], size: number, step: number, keepRest: boolean): Value {
  if (step <= 0 || size <= 0) return listOf([listOf([...items])])
  const pieces: Value[] = []
  for (let start = 0; start < items.length; start += step) {
    if (!keepRest && start + size > items.length) break
    pieces.push(listOf(items.slice(start, start + size)))
  }
  return listOf(pieces)
}

extend(IterableInterface, {
  'getAt(Number index): Object': (self: Value, index: Value) => getAt(new ListValue([...itemsOf(self)]), toInt(index)),
  'forEach(Consumer action): void': (self: Value, action: Value) =>
    eachItem(
      iterationOf(self),
      (item) => call(action, item),
      () => null,
    ),
  'size(): int': (self: Value) => itemsOf(self).length,
  'toList(): List': (self: Value) => listOf([...itemsOf(self)]),
  'asList(): List': (self: Value) => (self instanceof ListValue ? self : listOf([...itemsOf(self)])),
  'toSet(): Set': (self: Value) => {
    const items = itemsOf(self)
    const made = new HashSetValue(HashSetClass, null, items.length)
    for (const item of items) made.add(item)
    return made
  },
  'asCollection(): Collection': (self: Value) => self,
  'join(): String': (self: Value) => joined(itemsOf(self), ''),
  'join(String separator): String': (self: Value, separator: string) => joined(itemsOf(self), separator),
  'first(): Object': (self: Value) => endOf(self, 0, 'first'),
  'last(): Object': (self: Value) => endOf(self, -1, 'last'),
  'head(): Object': (self: Value) => endOf(self, 0, 'first'),
  'min(): Object': (self: Value) => extreme(self, null, -1),
  'min(Closure closure): Object': (self: Value, closure: ClosureValue) => extreme(self, closure, -1),
  'min(Comparator comparator): Object': (self: Value, comparator: Value) => extreme(self, comparator, -1),
  'max(): Object': (self: Value) => extreme(self, null, 1),
  'max(Closure closure): Object': (self: Value, closure: ClosureValue) => extreme(self, closure, 1),
  'max(Comparator comparator): Object': (self: Value, comparator: Value) => extreme(self, comparator, 1),
  'average(): Object': average,
  'average(Closure closure): Object': (self: Value, closure: ClosureValue) =>
    andThen(sumBy(self, undefined, closure), (sum) => divide(sum, itemsOf(self).length)),
  'count(Object value): int': (self: Value, value: Value) =>
    itemsOf(self).filter((each) => groovyEquals(each, value)).length,
  'sort(): List': (self: Value) => sorted(itemsOf(self), null, listOf),
  'sort(Closure closure): List': (self: Value, closure: ClosureValue) => sorted(itemsOf(self), closure, listOf),
  'sort(boolean mutate): List': (self: Value) => sorted(itemsOf(self), null, listOf),
  'sort(boolean mutate, Closure closure): List': (self: Value, _: boolean, closure: ClosureValue) =>
    sorted(itemsOf(self), closure, listOf),
  'sort(boolean mutate, Comparator comparator): List': (self: Value, _: boolean, comparator: Value) =>
    sorted(itemsOf(self), comparator, listOf),
  'toSorted(): List': (self: Value) => sorted(itemsOf(self), null, listOf),
  'toSorted(Closure closure): List': (self: Value, closure: ClosureValue) => sorted(itemsOf(self), closure, listOf),
  'toSorted(Comparator comparator): List': (self: Value, comparator: Value) =>
    sorted(itemsOf(self), comparator, listOf),
  'toUnique(): Collection': (self: Value) =>
    similar(
      self,
      distinct(itemsOf(self), (left, right) => naturalCompare(left, right) === 0),
    ),
  'toUnique(Closure closure): Collection': (self: Value, closure: ClosureValue) =>
    uniqueItems(self, closure, (items) => similar(self, items)),
  'flatten(): Collection': (self: Value) => similar(self, flattened(itemsOf(self))),
  'collate(int size): List': (self: Value, size: number) => collated(itemsOf(self), size, size, true),
  'collate(int size, boolean keepRemainder): List': (self: Value, size: number, keep: boolean) =>
    collated(itemsOf(self), size, size, keep),
  'collate(int size, int step): List': (self: Value, size: number, step: number) =>
    collated(itemsOf(self), size, step, true),
  'collate(int size, int step, boolean keepRemainder): List': (
    self: Value,
    size: number,
    step: number,
    keep: boolean,
  ) => collated(itemsOf(self), size, step, keep),
  'combinations(): List': (self: Value) =>
    listOf(
      combinations(
        itemsOf(self).map((each) => (each === null ? [] : each instanceof CollectionValue ? each.items : [each])),
      ),
    ),
  'withIndex(): List': (self: Value) => listOf(itemsOf(self).map((item, index) => new ListValue([item, index]))),
  'withIndex(int offset): List': (self: Value, offset: number) =>
    listOf(itemsOf(self).map((item, index) => new ListValue([item, index + offset]))),
  'indexed(): Map': (self: Value) => HashMapValue.of(itemsOf(self).map((item, index) => [index, item])),
  'indexed(int offset): Map': (self: Value, offset: number) =>
    HashMapValue.of(itemsOf(self).map((item, index) => [index + offset, item])),
  'contains(Object value): boolean': (self: Value, value: Value) =>
    itemsOf(self).some((each) => javaEquals(each, value)),
  'containsAll(Collection values): boolean': (self: Value, values: Value) =>
    itemsOf(values).every((value) => itemsOf(self).some((each) => javaEquals(each, value))),
  'disjoint(Iterable other): boolean': (self: Value, other: Value) => {
    const isThere = containsAny(itemsOf(other))
    return !itemsOf(self).some(isThere)
  },
  'intersect(Iterable other): Collection': (self: Value, other: Value) => {
    return similar(self, itemsOf(self).filter(containsAny(itemsOf(other))))
  },
  'plus(Object value): Collection': (self: Value, value: Value) => similar(self, [...itemsOf(self), value]),
  'plus(Iterable values): Collection': (self: Value, values: Value) =>
    similar(self, [...itemsOf(self), ...itemsOf(values)]),
  'minus(Object value): Collection': (self: Value, value: Value) => without(self, [value]),
  'minus(Iterable values): Collection': (self: Value, values: Value) => without(self, itemsOf(values)),
  'multiply(Number factor): Collection': (self: Value, factor: Value) => repeated(self, toInt(factor)),
  'negative(): List': (self: Value) => collectItems(iterationOf(self), negative),
  'positive(): List': (self: Value) => collectItems(iterationOf(self), positive),
  'bitwiseNegate(): List': (self: Value) => collectItems(iterationOf(self), bitwiseNegate),
  'collectNested(Closure transform): List': collectNested,
  'takeRight(int count): Collection': (self: Value, count: number) =>
    similar(self, count <= 0 ? [] : itemsOf(self).slice(-count)),
  'dropRight(int count): Collection': (self: Value, count: number) =>
    similar(self, count <= 0 ? [...itemsOf(self)] : itemsOf(self).slice(0, -count)),
  'permutations(): Set': (self: Value) => setOf(permutations(itemsOf(self)).map((each) => new ListValue(each))),
  'take(int count): Collection': (self: Value, count: number) =>
    similar(self, itemsOf(self).slice(0, Math.max(count, 0))),
  'drop(int count): Collection': (self: Value, count: number) => similar(self, itemsOf(self).slice(Math.max(count, 0))),
  'takeWhile(Closure condition): Collection': (self: Value, closure: ClosureValue) =>
    prefixLength(iterationOf(self), closure, (length) => similar(self, itemsOf(self).slice(0, length))),
  'dropWhile(Closure condition): Collection': (self: Value, closure: ClosureValue) =>
    prefixLength(iterationOf(self), closure, (length) => similar(self, itemsOf(self).slice(length))),
  'tail(): Collection': (self: Value) => similar(self, withoutEnd(self, 'tail').slice(1)),
  'init(): Collection': (self: Value) => similar(self, withoutEnd(self, 'init').slice(0, -1)),
})

function withoutEnd(self: Value, method: string): readonly Value[] {
  const items = itemsOf(self)
  if (items.length === 0) throw throwable(NoSuchElementException, `Cannot access ${method}() for an empty iterable`)
  return items
}

function endOf(self: Value, at: number, method: string): Value {
  const item = itemsOf(self).at(at)
  if (item === undefined)
    throw throwable(NoSuchElementException, `Cannot access ${method}() element from an empty Iterable`)
  return item
}

function repeated(self: Value, times: number): Value {
  if (times < 0) throw illegalArgument(`multiply() should be called with a number of 0 or greater not: ${times}`)
  const items = itemsOf(self)
  checkCopy(items.length * times)
  const made: Value[] = []
  for (let turn = 0; turn < times; turn++) for (const item of items) made.push(item)
  return similar(self, made)
}

/** All permutations of items. */
export function permutations(items: readonly Value[]): Value[][] {
  if (items.length === 0) throw illegalArgument('there are no permutations of an empty collection')
  const count = items.reduce<number>((product, _, index) => product * (index + 1), 1)
  checkCopy(count * items.length)
  if (items.length === 1) return [[...items]]
  return items.flatMap((item, index) =>
    permutations([...items.slice(0, index), ...items.slice(index + 1)]).map((rest) => [item, ...rest]),
  )
}

function collectNested(self: Value, closure: ClosureValue): Maybe {
  return collectItems(iterationOf(self), (item) =>
    item instanceof CollectionValue ? collectNested(item, closure) : call(closure, item),
  )
}

extend(IteratorInterface, {
  'hasNext(): boolean': (self: IteratorValue) => (self instanceof IteratorValue ? self.hasNext() : false),
  'next(): Object': (self: IteratorValue) => {
    const value = self.next()
    if (value === undefined) throw throwable(NoSuchElementException, null)
    return value
  },
  'toList(): List': (self: Value) => listOf([...itemsOf(self)]),
  'toSet(): Set': (self: Value) => setOf(itemsOf(self)),
  'size(): int': (self: Value) => itemsOf(self).length,
  'join(String separator): String': (self: Value, separator: string) => joined(itemsOf(self), separator),
})
