// java.util.stream, over lists: elements are not lazy, and each operation runs when it is called.

import { allocateCollection, boundedText, checkCopy, tick } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { collectItems, eachItem, loop, NEXT } from '../../runtime/iterate.ts'
import { addNumbers } from '../../runtime/number-math.ts'
import { andThen, type Maybe } from '../../runtime/pending.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import {
  ArrayBaseClass,
  CollectionInterface,
  declareClass,
  HashMapClass,
  ObjectClass,
  UnmodifiableListClass,
} from '../../values/classes.ts'
import { type CollectionValue, ListValue } from '../../values/collection.ts'
import { compareValues } from '../../values/compare.ts'
import { illegalArgument } from '../../values/exceptions.ts'
import { HashMapValue, HashSetValue } from '../../values/hash-map.ts'
import { type ArrayValue, ObjectArray } from '../../values/java-array.ts'
import { isNumber, toInt } from '../../values/number-tower.ts'
import { javaText, textOf } from '../../values/text.ts'
import { truth } from '../../values/truth.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { call, callNow } from '../closure/closure-calls.ts'
import { joinedTexts } from './iterable.ts'
import { ArraysClass, optional } from './static-methods.ts'

const StreamClass = declareClass('java.util.stream.Stream')
const CollectorsClass = declareClass('java.util.stream.Collectors')
const CollectorClass = declareClass('java.util.stream.Collector')

class StreamValue extends GroovyObject {
  readonly items: readonly Value[]

  constructor(items: readonly Value[]) {
    super()
    this.items = items
    allocateCollection(items.length)
  }

  get klass(): ClassInfo {
    return StreamClass
  }

  override get weight(): number {
    return this.items.length
  }
}

/** Collectors of `collect`. */
class CollectorValue extends GroovyObject {
  readonly finish: (items: readonly Value[]) => Maybe

  constructor(finish: (items: readonly Value[]) => Maybe) {
    super()
    this.finish = finish
  }

  get klass(): ClassInfo {
    return CollectorClass
  }
}

const stream = (items: readonly Value[]): StreamValue => new StreamValue(items)
const ofList = (list: Value): Value => stream((list as ListValue).items)

function filtered(self: StreamValue, test: Value): Maybe {
  const kept: Value[] = []
  return loop(
    self.items,
    (item) => call(test, item),
    (result, item) => {
      if (truth(result)) kept.push(item)
      return NEXT
    },
    () => stream(kept),
  )
}

/** Stops at the first element for which the predicate has the decisive result. */
const decided =
  (wanted: boolean, found: boolean) =>
  (self: StreamValue, test: Value): Maybe =>
    loop(
      self.items,
      (item) => call(test, item),
      (result) => (truth(result) === wanted ? found : NEXT),
      () => !found,
    )

function unique(items: readonly Value[]): HashSetValue {
  const set = new HashSetValue()
  for (const each of items) set.add(each)
  return set
}

function sorted(self: StreamValue, order: Value): StreamValue {
  const compare = (left: Value, right: Value): number => {
    tick()
    if (order === null) return compareValues(left, right)
    const result = callNow('a comparison', order, left, right)
    return isNumber(result) ? toInt(result) : 0
  }
  return stream([...self.items].sort(compare))
}

const sum = (items: readonly Value[]): Value => items.reduce((total, each) => addNumbers(total, each), 0 as Value)

extend(StreamClass, {
  'static of(Object... values): Stream': (values: Value[]) => stream(values),
  'static empty(): Stream': () => stream([]),
  'filter(Predicate test): Stream': filtered,
  'map(Function change): Stream': (self: StreamValue, change: Value) =>
    andThen(
      collectItems(self.items, (item) => call(change, item)),
      ofList,
    ),
  'mapToInt(Object change): Stream': (self: StreamValue, change: Value) =>
    andThen(
      collectItems(self.items, (item) => call(change, item)),
      ofList,
    ),
  'flatMap(Function change): Stream': (self: StreamValue, change: Value) =>
    andThen(
      collectItems(self.items, (item) => call(change, item)),
      (list) =>
        stream((list as ListValue).items.flatMap((each) => (each instanceof StreamValue ? each.items : [each]))),
    ),
  'distinct(): Stream': (self: StreamValue) => stream(unique(self.items).items),
  'sorted(): Stream': (self: StreamValue) => sorted(self, null),
  'sorted(Comparator order): Stream': sorted,
  'limit(long count): Stream': (self: StreamValue, count: bigint) => stream(self.items.slice(0, Number(count))),
  'skip(long count): Stream': (self: StreamValue, count: bigint) => stream(self.items.slice(Number(count))),
  'peek(Consumer use): Stream': (self: StreamValue, use: Value) =>
    eachItem(
      self.items,
      (item) => call(use, item),
      () => self,
    ),
  'forEach(Consumer use): void': (self: StreamValue, use: Value) =>
    eachItem(
      self.items,
      (item) => call(use, item),
      () => null,
    ),
  'anyMatch(Predicate test): boolean': decided(true, true),
  'allMatch(Predicate test): boolean': decided(false, false),
  'noneMatch(Predicate test): boolean': decided(true, false),
  'findFirst(): Optional': (self: StreamValue) => optional(self.items[0] ?? null),
  'findAny(): Optional': (self: StreamValue) => optional(self.items[0] ?? null),
  'count(): long': (self: StreamValue) => BigInt(self.items.length),
  'sum(): Number': (self: StreamValue) => sum(self.items),
  'reduce(Object start, BinaryOperator change): Object': (self: StreamValue, start: Value, change: Value) => {
    let total = start
    return loop(
      self.items,
      (item) => call(change, total, item),
      (result) => {
        total = result
        return NEXT
      },
      () => total,
    )
  },
  'collect(Collector collector): Object': (self: StreamValue, collector: CollectorValue) =>
    collector.finish(self.items),
  'toList(): List': (self: StreamValue) => new ListValue([...self.items], UnmodifiableListClass),
  'toSet(): Set': (self: StreamValue) => unique(self.items),
  'toArray(): Object[]': (self: StreamValue) => new ObjectArray(ObjectClass, [...self.items]),
})

const collector = (finish: (items: readonly Value[]) => Maybe): CollectorValue => new CollectorValue(finish)

/** Collects elements in a map by a key function and a value function. */
function toMap(items: readonly Value[], key: Value, value: Value): Maybe {
  const made = new HashMapValue(HashMapClass)
  return eachItem(
    items,
    (item) =>
      andThen(call(key, item), (k) =>
        andThen(call(value, item), (v) => {
          if (made.has(k)) throw illegalArgument(`Duplicate key ${textOf(k)}`)
          made.put(k, v)
          return null
        }),
      ),
    () => made,
  )
}

/** Groups elements by key. */
function grouped(items: readonly Value[], key: Value): Maybe {
  const made = new HashMapValue(HashMapClass)
  return eachItem(
    items,
    (item) =>
      andThen(call(key, item), (k) => {
        const list = made.get(k)
        if (list instanceof ListValue) list.add(item)
        else made.put(k, new ListValue([item]))
        return null
      }),
    () => made,
  )
}

extend(CollectorsClass, {
  'static toList(): Collector': () => collector((items) => new ListValue([...items])),
  'static toSet(): Collector': () => collector(unique),
  'static joining(): Collector': () => collector((items) => joinedTexts(items.map(javaText), '')),
  'static joining(CharSequence separator): Collector': (separator: Value) =>
    collector((items) => joinedTexts(items.map(javaText), textOf(separator))),
  'static joining(CharSequence separator, CharSequence prefix, CharSequence suffix): Collector': (
    separator: Value,
    prefix: Value,
    suffix: Value,
  ) =>
    collector((items) =>
      boundedText(textOf(prefix) + joinedTexts(items.map(javaText), textOf(separator)) + textOf(suffix)),
    ),
  'static counting(): Collector': () => collector((items) => BigInt(items.length)),
  'static toMap(Function key, Function value): Collector': (key: Value, value: Value) =>
    collector((items) => toMap(items, key, value)),
  'static groupingBy(Function key): Collector': (key: Value) => collector((items) => grouped(items, key)),
})

extend(CollectionInterface, {
  'stream(): Stream': ({ items }: CollectionValue) => {
    checkCopy(items.length)
    return stream([...items])
  },
})
extend(ArraysClass, {
  'static stream(Object[] array): Stream': ({ items }: ArrayValue) => stream([...items]),
  'static stream(int[] array): Stream': ({ items }: ArrayValue) => stream([...items]),
})
extend(ArrayBaseClass, { 'stream(): Stream': ({ items }: ArrayValue) => stream([...items]) })
