// Removal of duplicates.

import { spend, tick } from '../../meter.ts'
import { itemsOf } from '../../runtime/items.ts'
import { collectItems } from '../../runtime/iterate.ts'
import { andThen, type Maybe } from '../../runtime/pending.ts'
import type { ClosureValue } from '../../values/closure.ts'
import type { ListValue } from '../../values/collection.ts'
import { groovyEquals } from '../../values/equality.ts'
import { HashSetValue } from '../../values/hash-map.ts'
import { isNumber } from '../../values/number-tower.ts'
import type { Value } from '../../values/value.ts'
import { call } from '../closure/closure-calls.ts'
import { compareAny } from './sorting.ts'

/** Items without duplicates, the first ones retained; numbers are compared across their types. */
export function distinct(items: readonly Value[], same: (left: Value, right: Value) => boolean): Value[] {
  const kept: Value[] = []
  for (const item of items) {
    if (!kept.some((each) => countedSame(each, item, same))) kept.push(item)
  }
  return kept
}

function countedSame(left: Value, right: Value, same: (left: Value, right: Value) => boolean): boolean {
  tick()
  return same(left, right)
}

export function uniqueItems(self: Value, closure: ClosureValue | null, done: (items: Value[]) => Maybe): Maybe {
  const items = itemsOf(self)
  if (closure === null) return done(distinct(items, sameForUnique))
  if (closure.parameterCount > 1) {
    return done(distinct(items, (left, right) => call(closure, left, right) === 0))
  }
  return andThen(
    collectItems(items, (item) => call(closure, item)),
    (keys) => {
      const values = (keys as ListValue).items
      const firsts = distinct(values, sameForUnique).map((key) => values.indexOf(key))
      return done(firsts.map((index) => items[index] as Value))
    },
  )
}

function sameForUnique(left: Value, right: Value): boolean {
  return compareAny(left, right) === 0
}

export function containsAny(items: readonly Value[]): (item: Value) => boolean {
  const set = HashSetValue.of(items)
  return (item) => set.has(item) || (isNumber(item) && hasNumber(items, item))
}

function hasNumber(items: readonly Value[], number: Value): boolean {
  spend(items.length)
  return items.some((each) => groovyEquals(each, number))
}
