// Methods of values with elements that group, count and sum them, or collect the results of a closure into another collection.
import { extend, type MemberTable } from '../../registry/extend.ts'
import { iterationOf } from '../../runtime/items.ts'
import { collectItems, eachItem, loop, NEXT } from '../../runtime/iterate.ts'
import { plus } from '../../runtime/operators.ts'
import { andThen, type Maybe } from '../../runtime/pending.ts'
import { ArrayBaseClass, IterableInterface, IteratorInterface, MapInterface } from '../../values/classes.ts'
import type { ClosureValue } from '../../values/closure.ts'
import { type CollectionValue, ListValue, MapEntry, type MapValue } from '../../values/collection.ts'
import { HashMapValue } from '../../values/hash-map.ts'
import type { Value } from '../../values/value.ts'
import { callOn, test } from '../closure/closure-calls.ts'
import { addPair } from '../map/pairs.ts'

/** Groups items by the result of a closure. */
function grouped(self: Value, closure: Value, group: (item: Value, previous: Value | undefined) => Value): Maybe {
  const groups = new HashMapValue()
  return loop(
    iterationOf(self),
    (item) => callOn(closure, item),
    (key, item) => {
      groups.put(key, group(item, groups.get(key)))
      return NEXT
    },
    () => groups,
  )
}

function addToGroup(item: Value, previous: Value | undefined): Value {
  if (item instanceof MapEntry) {
    const map = (previous ?? new HashMapValue()) as HashMapValue
    map.put(item.key, item.value)
    return map
  }
  const list = (previous ?? new ListValue()) as ListValue
  list.add(item)
  return list
}

/** Nested groups, one closure for each level. */
function groupedBy(self: Value, closures: readonly Value[]): Maybe {
  const [first, ...rest] = closures
  if (first === undefined) return self
  return andThen(grouped(self, first, addToGroup), (groups) => {
    if (rest.length === 0) return groups
    return eachItem(
      (groups as MapValue).entries(),
      (entry) =>
        andThen(groupedBy(entry.value, rest), (inner) => {
          entry.value = inner
          return null
        }),
      () => groups,
    )
  })
}

function collectEntries(self: Value, target: MapValue, closure: ClosureValue | null): Maybe {
  return loop(
    iterationOf(self),
    (item) => (closure === null ? item : callOn(closure, item)),
    (pair) => {
      addPair(target, pair)
      return NEXT
    },
    () => target,
  )
}

/** Sums values with `+`, starting with the first one or an initial value. */
export function summed(values: Iterable<Value>, initial: Value | undefined): Maybe {
  let sum = initial
  return loop(
    values,
    (value) => (sum === undefined ? value : plus(sum, value)),
    (result) => {
      sum = result
      return NEXT
    },
    () => sum ?? null,
  )
}

export function sumBy(self: Value, initial: Value | undefined, closure: ClosureValue): Maybe {
  return andThen(
    collectItems(iterationOf(self), (item) => callOn(closure, item)),
    (values) => summed((values as ListValue).items, initial),
  )
}

function countOf(self: Value, matches: (item: Value) => Maybe): Maybe {
  let count = 0
  return loop(
    iterationOf(self),
    matches,
    (yes) => {
      if (yes === true) count += 1
      return NEXT
    },
    () => count,
  )
}

function collectMany(self: Value, target: CollectionValue, closure: ClosureValue): Maybe {
  return loop(
    iterationOf(self),
    (item) => callOn(closure, item),
    (result) => {
      if (result !== null) for (const each of iterationOf(result)) target.add(each)
      return NEXT
    },
    () => target,
  )
}

/** Members of collections, arrays, iterators and maps. */
const elementMembers: MemberTable = {
  'collectMany(Closure projection): List': (self: Value, closure: ClosureValue) =>
    collectMany(self, new ListValue(), closure),
  'collectMany(Collection collector, Closure projection): Collection': collectMany,
  'collectEntries(): Map': (self: Value) => collectEntries(self, new HashMapValue(), null),
  'collectEntries(Closure transform): Map': (self: Value, closure: ClosureValue) =>
    collectEntries(self, new HashMapValue(), closure),
  'collectEntries(Map collector, Closure transform): Map': collectEntries,
  'findResults(Closure transform): List': (self: Value, closure: ClosureValue) =>
    andThen(
      collectItems(iterationOf(self), (item) => callOn(closure, item)),
      (results) => new ListValue((results as ListValue).items.filter((each) => each !== null)),
    ),
  'groupBy(Closure closure): Map': (self: Value, closure: ClosureValue) => groupedBy(self, [closure]),
  'groupBy(Closure... closures): Map': (self: Value, closures: Value[]) => groupedBy(self, closures),
  'groupBy(List closures): Map': (self: Value, closures: ListValue) => groupedBy(self, closures.items),
  'countBy(Closure closure): Map': (self: Value, closure: ClosureValue) =>
    grouped(self, closure, (_, count) => ((count ?? 0) as number) + 1),
  'count(Closure condition): int': (self: Value, closure: ClosureValue) => countOf(self, (item) => test(closure, item)),
}

const sumMembers: MemberTable = {
  'sum(): Object': (self: Value) => summed(iterationOf(self), undefined),
  'sum(Object initialValue): Object': (self: Value, initial: Value) => summed(iterationOf(self), initial),
  'sum(Closure closure): Object': (self: Value, closure: ClosureValue) => sumBy(self, undefined, closure),
  'sum(Object initialValue, Closure closure): Object': sumBy,
}

for (const klass of [IterableInterface, IteratorInterface, ArrayBaseClass])
  extend(klass, { ...elementMembers, ...sumMembers })
extend(MapInterface, elementMembers)
