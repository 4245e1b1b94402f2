// Methods of lists.

import { checkCopy } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { castNow } from '../../runtime/cast.ts'
import { getAt, normalIndex, putAt } from '../../runtime/indexing.ts'
import { invokeMethod } from '../../runtime/invoke.ts'
import { itemsOf } from '../../runtime/items.ts'
import { eachItem } from '../../runtime/iterate.ts'
import { andThen, type Maybe, settled } from '../../runtime/pending.ts'
import {
  ArrayDequeClass,
  ArrayListClass,
  DequeInterface,
  LinkedListClass,
  ListInterface,
} from '../../values/classes.ts'
import type { ClosureValue } from '../../values/closure.ts'
import { CollectionValue, ListValue } from '../../values/collection.ts'
import { javaEquals } from '../../values/equality.ts'
import {
  IndexOutOfBoundsException,
  illegalArgument,
  indexOutOfBounds,
  NoSuchElementException,
} from '../../values/exceptions.ts'
import { toInt } from '../../values/number-tower.ts'
import { frozenList, IntRange, type RangeValue } from '../../values/range.ts'
import { throwable } from '../../values/throwable.ts'
import type { Value } from '../../values/value.ts'
import { call } from '../closure/closure-calls.ts'
import { permutations } from './iterable.ts'
import { listOf, setOf, similar } from './similar.ts'
import { sorted } from './sorting.ts'

function checkIndex(index: number, size: number): void {
  if (index < 0 || index >= size) throw indexOutOfBounds(`Index ${index} out of bounds for length ${size}`)
}

/** The first and last index of a range in a list of a size; a reverse range returns the elements in reverse order. */
export function boundsOf(range: IntRange, size: number): { start: number; end: number; isReverse: boolean } {
  const [first, last] = range.size === 0 ? [range.from, range.from - 1] : [range.at(0), range.at(range.size - 1)]
  let [start, end] = [checkedBound(first, size), checkedBound(last, size)]
  let isReverse = range.isReverse
  if (start > end && range.size > 0) {
    ;[start, end] = [end, start]
    isReverse = !isReverse || first >= 0 === last >= 0
  } else if (range.size > 0 && range.isReverse && start < end) isReverse = false
  return { start, end, isReverse }
}

function checkedBound(index: number, size: number): number {
  return normalIndex(index, size)
}

/** The sublist for a range. */
function slice(list: ListValue, range: IntRange): Value {
  if (range.size === 0) return similar(list, [])
  const { start, end, isReverse } = boundsOf(range, list.size)
  if (end >= list.size) throw throwable(IndexOutOfBoundsException, `toIndex = ${end + 1}`)
  const part = list.items.slice(start, end + 1)
  return similar(list, isReverse ? part.reverse() : part)
}

function sortInPlace(self: ListValue, callee: Value | null): Maybe {
  return sorted(self.items, callee, (items) => {
    self.replaceAll(items)
    return self
  })
}

function removeAt(self: ListValue, index: number): Value {
  checkIndex(index, self.size)
  return self.writable().splice(index, 1)[0] as Value
}

function insert(self: ListValue, index: number, values: readonly Value[]): void {
  if (index < 0 || index > self.size) throw indexOutOfBounds(`Index: ${index}, Size: ${self.size}`)
  checkCopy(values.length)
  self.writable(values.length).splice(index, 0, ...values)
}

/** Removes and returns the last or first element. */
function takeEnd(self: ListValue, end: 'first' | 'last', method: string): Value {
  if (self.size === 0) throw throwable(NoSuchElementException, method === 'pop' ? 'Cannot pop() an empty List' : null)
  const items = self.writable()
  return (end === 'last' ? items.pop() : items.shift()) as Value
}

function peekEnd(self: ListValue, at: 0 | -1): Value {
  return self.items.at(at) ?? null
}

/** Transposes a list of lists. */
function transposed(self: Value): Value {
  const rows = itemsOf(self).map((each) => (castNow(each, ListInterface) as ListValue).items)
  if (rows.length === 0) return listOf([])
  const width = rows.reduce((least, row) => Math.min(least, row.length), Number.POSITIVE_INFINITY)
  checkCopy(width * rows.length)
  return listOf(Array.from({ length: width }, (_, column) => new ListValue(rows.map((row) => row[column] as Value))))
}

function subsequences(items: readonly Value[]): Value[] {
  checkCopy(2 ** Math.min(items.length, 40))
  let made: Value[][] = [[]]
  for (const item of items) made = made.concat(made.map((each) => [...each, item]))
  return made.filter((each) => each.length > 0).map((each) => new ListValue(each))
}

extend(ListInterface, {
  'get(int index): Object': (self: ListValue, index: number) => {
    checkIndex(index, self.size)
    return self.items[index] as Value
  },
  'getAt(Number index): Object': (self: ListValue, index: Value) => getAt(self, toInt(index)),
  'getAt(Range range): List': (self: ListValue, range: RangeValue) =>
    range instanceof IntRange
      ? slice(self, range)
      : listOf(range.items.map((index) => self.items[normalIndex(toInt(index), self.size)] ?? null)),
  'getAt(Collection indexes): List': (self: ListValue, indexes: CollectionValue) =>
    listOf(
      indexes.items.flatMap((index) => {
        const value = settled(invokeMethod(self, 'getAt', [index]), 'the elements of a list')
        return index instanceof CollectionValue ? itemsOf(value) : [value]
      }),
    ),
  'putAt(int index, Object value): void': (self: ListValue, index: number, value: Value) => putAt(self, index, value),
  'putAt(Range range, Object value): void': (self: ListValue, range: RangeValue, value: Value) => {
    if (!(range instanceof IntRange)) throw illegalArgument('the range of a list is one of integers')
    const { start, end } = range.size === 0 ? { start: range.from, end: range.from - 1 } : boundsOf(range, self.size)
    const values = value instanceof CollectionValue ? value.items : [value]
    checkCopy(values.length)
    const items = self.writable(values.length)
    while (items.length < start) items.push(null)
    items.splice(start, end - start + 1, ...values)
  },
  'set(int index, Object value): Object': (self: ListValue, index: number, value: Value) => {
    checkIndex(index, self.size)
    const before = self.items[index] as Value
    self.set(index, value)
    return before
  },
  'add(int index, Object value): void': (self: ListValue, index: number, value: Value) => insert(self, index, [value]),
  'addAll(int index, Collection values): boolean': (self: ListValue, index: number, values: CollectionValue) => {
    insert(self, index, [...values.items])
    return values.size > 0
  },
  'remove(int index): Object': removeAt,
  'removeAt(int index): Object': removeAt,
  'removeLast(): Object': (self: ListValue) => takeEnd(self, 'last', 'removeLast'),
  'indexOf(Object value): int': (self: ListValue, value: Value) =>
    self.items.findIndex((each) => javaEquals(each, value)),
  'lastIndexOf(Object value): int': (self: ListValue, value: Value) =>
    self.items.findLastIndex((each) => javaEquals(each, value)),
  'subList(int from, int to): List': (self: ListValue, from: number, to: number) => {
    if (from < 0) throw indexOutOfBounds(`fromIndex = ${from}`)
    if (to > self.size) throw indexOutOfBounds(`toIndex = ${to}`)
    return listOf(self.items.slice(from, to))
  },
  'sort(): List': (self: ListValue) => sortInPlace(self, null),
  'sort(Closure closure): List': sortInPlace,
  'sort(Comparator comparator): void': (self: ListValue, comparator: Value) =>
    andThen(sortInPlace(self, comparator), () => null),
  'sort(boolean mutate): List': (self: ListValue, mutate: boolean) =>
    mutate ? sortInPlace(self, null) : sorted(self.items, null, listOf),
  'sort(boolean mutate, Closure closure): List': (self: ListValue, mutate: boolean, closure: ClosureValue) =>
    mutate ? sortInPlace(self, closure) : sorted(self.items, closure, listOf),
  'sort(boolean mutate, Comparator comparator): List': (self: ListValue, mutate: boolean, comparator: Value) =>
    mutate ? sortInPlace(self, comparator) : sorted(self.items, comparator, listOf),
  'reverse(): List': (self: ListValue) => similar(self, [...self.items].reverse()),
  'reverse(boolean mutate): List': (self: ListValue, mutate: boolean) => {
    const reversed = [...self.items].reverse()
    if (!mutate) return listOf(reversed)
    self.replaceAll(reversed)
    return self
  },
  'reverseEach(Closure closure): List': (self: ListValue, closure: ClosureValue) =>
    eachItem(
      [...self.items].reverse(),
      (item) => call(closure, item),
      () => self,
    ),
  'takeRight(int count): List': (self: ListValue, count: number) =>
    similar(self, count <= 0 ? [] : self.items.slice(-count)),
  'dropRight(int count): List': (self: ListValue, count: number) =>
    similar(self, count <= 0 ? [...self.items] : self.items.slice(0, -count)),
  'push(Object value): boolean': (self: ListValue, value: Value) => {
    insert(self, 0, [value])
    return true
  },
  'pop(): Object': (self: ListValue) => takeEnd(self, 'first', 'pop'),
  'plus(Object value): List': (self: ListValue, value: Value) => similar(self, [...self.items, value]),
  'plus(Iterable values): List': (self: ListValue, values: Value) => similar(self, [...self.items, ...itemsOf(values)]),
  'plus(int index, List additions): List': (self: ListValue, index: number, values: ListValue) =>
    similar(self, [...self.items.slice(0, index), ...values.items, ...self.items.slice(index)]),
  'transpose(): List': transposed,
  'eachPermutation(Closure closure): Iterator': (self: ListValue, closure: ClosureValue) =>
    eachItem(
      permutations(self.items),
      (each) => call(closure, new ListValue(each)),
      () => null,
    ),
  'subsequences(): Set': (self: ListValue) => setOf(subsequences(self.items)),
  'replaceAll(UnaryOperator operator): void': (self: ListValue, operator: Value) =>
    eachItem(
      self.items.map((item, index) => ({ item, index })),
      ({ item, index }) =>
        andThen(call(operator, item), (value) => {
          self.set(index, value)
          return null
        }),
      () => null,
    ),
  'static of(Object... values): List': (values: Value[]) => frozenList(values),
  'static copyOf(Collection values): List': (values: CollectionValue) => frozenList([...values.items]),
})

const listConstructors = (klass: typeof ArrayListClass) => ({
  'new()': () => new ListValue([], klass),
  'new(int capacity)': () => new ListValue([], klass),
  'new(Collection values)': (values: CollectionValue) => {
    checkCopy(values.size)
    return new ListValue([...values.items], klass)
  },
})

extend(ArrayListClass, listConstructors(ArrayListClass))
extend(LinkedListClass, listConstructors(LinkedListClass))
extend(ArrayDequeClass, listConstructors(ArrayDequeClass))

extend(DequeInterface, {
  'addFirst(Object value): void': (self: ListValue, value: Value) => insert(self, 0, [value]),
  'addLast(Object value): void': (self: ListValue, value: Value) => {
    self.add(value)
  },
  'offer(Object value): boolean': (self: ListValue, value: Value) => self.add(value),
  'offerFirst(Object value): boolean': (self: ListValue, value: Value) => {
    insert(self, 0, [value])
    return true
  },
  'offerLast(Object value): boolean': (self: ListValue, value: Value) => self.add(value),
  'push(Object value): void': (self: ListValue, value: Value) => insert(self, 0, [value]),
  'pop(): Object': (self: ListValue) => takeEnd(self, 'first', 'remove'),
  'poll(): Object': (self: ListValue) => (self.size === 0 ? null : takeEnd(self, 'first', 'poll')),
  'pollFirst(): Object': (self: ListValue) => (self.size === 0 ? null : takeEnd(self, 'first', 'poll')),
  'pollLast(): Object': (self: ListValue) => (self.size === 0 ? null : takeEnd(self, 'last', 'poll')),
  'peek(): Object': (self: ListValue) => peekEnd(self, 0),
  'peekFirst(): Object': (self: ListValue) => peekEnd(self, 0),
  'peekLast(): Object': (self: ListValue) => peekEnd(self, -1),
  'remove(): Object': (self: ListValue) => takeEnd(self, 'first', 'remove'),
  'removeFirst(): Object': (self: ListValue) => takeEnd(self, 'first', 'remove'),
  'removeLast(): Object': (self: ListValue) => takeEnd(self, 'last', 'remove'),
  'getFirst(): Object': (self: ListValue) => endOrThrow(self, 0),
  'getLast(): Object': (self: ListValue) => endOrThrow(self, -1),
})

function endOrThrow(self: ListValue, at: 0 | -1): Value {
  const item = self.items.at(at)
  if (item === undefined) throw throwable(NoSuchElementException, null)
  return item
}
