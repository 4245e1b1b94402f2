// Methods that iterate over any value with elements and call a closure.

import { checkSize } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { isCase } from '../../runtime/is-case.ts'
import { iterationOf } from '../../runtime/items.ts'
import { collectItems, eachItem, loop, NEXT } from '../../runtime/iterate.ts'
import { andThen, type Maybe } from '../../runtime/pending.ts'
import { getProperty } from '../../runtime/property.ts'
import { ObjectClass } from '../../values/classes.ts'
import type { ClosureValue } from '../../values/closure.ts'
import { type CollectionValue, ListValue, MapEntry, MapValue } from '../../values/collection.ts'
import { NoSuchElementException } from '../../values/exceptions.ts'
import { HashMapValue } from '../../values/hash-map.ts'
import { throwable } from '../../values/throwable.ts'
import { truth } from '../../values/truth.ts'
import type { Value } from '../../values/value.ts'
import { call, callOn, callOnEntry, test } from '../closure/closure-calls.ts'
import { similar } from './similar.ts'

/** Passes the items that a predicate accepts to `done`. */
export function filtered(self: Value, keep: (item: Value) => Maybe, done: (items: Value[]) => Maybe): Maybe {
  const kept: Value[] = []
  return loop(
    iterationOf(self),
    keep,
    (yes, item) => {
      if (yes === true) checkSize(kept.push(item))
      return NEXT
    },
    () => done(kept),
  )
}

/** Result type of methods such as findAll for a collection, an array, or a map. */
function filteredResult(self: Value, items: Value[]): Value {
  if (!(self instanceof MapValue)) return similar(self, items)
  return HashMapValue.of(items.map((each) => [(each as MapEntry).key, (each as MapEntry).value]))
}

function find(self: Value, closure: ClosureValue): Maybe {
  return loop(
    iterationOf(self),
    (item) => test(closure, item),
    (yes, item) => (yes === true ? item : NEXT),
    () => null,
  )
}

/** Adds the results of a closure for each item to a collection. */
function collectInto(self: Value, target: CollectionValue, closure: ClosureValue): Maybe {
  return loop(
    iterationOf(self),
    (item) => callOn(closure, item),
    (result) => {
      target.add(result)
      return NEXT
    },
    () => target,
  )
}

function inject(self: Value, initial: Value, closure: ClosureValue, from = 0): Maybe {
  let sum = initial
  let index = 0
  return loop(
    iterationOf(self),
    (item) => {
      index += 1
      if (index <= from) return sum
      return item instanceof MapEntry && closure.parameterCount === 3
        ? call(closure, sum, item.key, item.value)
        : call(closure, sum, item)
    },
    (result) => {
      sum = result
      return NEXT
    },
    () => sum,
  )
}

function firstOf(self: Value): Value | undefined {
  for (const item of iterationOf(self)) return item
  return undefined
}

/** The first result that is not null. */
function findResult(self: Value, otherwise: Value, closure: ClosureValue): Maybe {
  return loop(
    iterationOf(self),
    (item) => callOn(closure, item),
    (result) => (result === null ? NEXT : result),
    () => otherwise,
  )
}

function eachWithIndex(self: Value, closure: ClosureValue): Maybe {
  return eachItem(
    iterationOf(self),
    (item, index) => (item instanceof MapEntry ? callOnEntry(closure, item, index) : call(closure, item, index)),
    () => self,
  )
}

function indexWhere(self: Value, closure: ClosureValue, from: number): Maybe {
  let index = -1
  return loop(
    iterationOf(self),
    (item) => {
      index += 1
      return index < from ? false : test(closure, item)
    },
    (yes) => (yes === true ? index : NEXT),
    () => -1,
  )
}

extend(ObjectClass, {
  'each(Closure closure): Object': (self: Value, closure: ClosureValue) =>
    eachItem(
      iterationOf(self),
      (item) => callOn(closure, item),
      () => self,
    ),
  'eachWithIndex(Closure closure): Object': eachWithIndex,
  'collect(): List': (self: Value) => collectItems(iterationOf(self), (item) => item),
  'collect(Closure transform): List': (self: Value, closure: ClosureValue) =>
    collectItems(iterationOf(self), (item) => callOn(closure, item)),
  'collect(Collection collector, Closure transform): Collection': collectInto,
  'find(): Object': (self: Value) =>
    loop(
      iterationOf(self),
      truth,
      (yes, item) => (yes === true ? item : NEXT),
      () => null,
    ),
  'find(Closure condition): Object': find,
  'findAll(): Object': (self: Value) => filtered(self, truth, (items) => filteredResult(self, items)),
  'findAll(Closure condition): Object': (self: Value, closure: ClosureValue) =>
    filtered(
      self,
      (item) => test(closure, item),
      (items) => filteredResult(self, items),
    ),
  'findResult(Closure condition): Object': (self: Value, closure: ClosureValue) => findResult(self, null, closure),
  'findResult(Object defaultResult, Closure condition): Object': findResult,
  'findIndexOf(Closure condition): int': (self: Value, closure: ClosureValue) => indexWhere(self, closure, 0),
  'findIndexOf(int startIndex, Closure condition): int': (self: Value, from: number, closure: ClosureValue) =>
    indexWhere(self, closure, from),
  'findLastIndexOf(Closure condition): int': (self: Value, closure: ClosureValue) =>
    andThen(
      collectItems(iterationOf(self), (item) => test(closure, item)),
      (results) => (results as ListValue).items.lastIndexOf(true),
    ),
  'findIndexValues(Closure condition): List': (self: Value, closure: ClosureValue) =>
    andThen(
      collectItems(iterationOf(self), (item) => test(closure, item)),
      (results) =>
        new ListValue((results as ListValue).items.flatMap((yes, index) => (yes === true ? [BigInt(index)] : []))),
    ),
  'any(): boolean': (self: Value) =>
    loop(
      iterationOf(self),
      truth,
      (yes) => (yes === true ? true : NEXT),
      () => false,
    ),
  'any(Closure condition): boolean': (self: Value, closure: ClosureValue) =>
    loop(
      iterationOf(self),
      (item) => test(closure, item),
      (yes) => (yes === true ? true : NEXT),
      () => false,
    ),
  'every(): boolean': (self: Value) =>
    loop(
      iterationOf(self),
      truth,
      (yes) => (yes === true ? NEXT : false),
      () => true,
    ),
  'every(Closure condition): boolean': (self: Value, closure: ClosureValue) =>
    loop(
      iterationOf(self),
      (item) => test(closure, item),
      (yes) => (yes === true ? NEXT : false),
      () => true,
    ),
  'inject(Closure closure): Object': (self: Value, closure: ClosureValue) => {
    const first = firstOf(self)
    if (first === undefined) throw noElement()
    return inject(self, first, closure, 1)
  },
  'inject(Object initial, Closure closure): Object': (self: Value, initial: Value, closure: ClosureValue) =>
    inject(self, initial, closure),
  'grep(): Object': (self: Value) => filtered(self, truth, (items) => filteredResult(self, items)),
  'grep(Object filter): Object': (self: Value, filter: Value) =>
    filtered(
      self,
      (item) => isCase(filter, item),
      (items) => (self instanceof MapValue ? new ListValue(items) : similar(self, items)),
    ),
  'split(Closure condition): List': (self: Value, closure: ClosureValue) => {
    const parts: [Value[], Value[]] = [[], []]
    return loop(
      iterationOf(self),
      (item) => test(closure, item),
      (yes, item) => {
        checkSize(parts[yes === true ? 0 : 1].push(item))
        return NEXT
      },
      () => new ListValue([similar(self, parts[0]), similar(self, parts[1])]),
    )
  },
  'getAt(String property): Object': (self: Value, name: string) => getProperty(self, name),
})

function noElement(): unknown {
  return throwable(
    NoSuchElementException,
    'Cannot call inject() on an empty iterable without passing an initial value.',
  )
}
