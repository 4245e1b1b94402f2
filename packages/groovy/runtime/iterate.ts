// Loops of library methods that call closures. A closure may suspend; the loop continues when its value is available.

import { checkSize, tick } from '../meter.ts'
import { ListValue } from '../values/collection.ts'
import type { Value } from '../values/value.ts'
import { after, type Maybe, PENDING } from './pending.ts'

/** Returned by `decide` of `loop` to continue with the next item. */
export const NEXT: unique symbol = Symbol('next')

/**
 * Calls `visit` with each item, and `decide` with its result, until `decide` returns a value; after the last item returns the
 * result of `end`.
 */
export function loop<Item>(
  items: Iterable<Item>,
  visit: (item: Item, index: number) => Maybe,
  decide: (result: Value, item: Item) => Maybe | typeof NEXT,
  end: () => Maybe,
): Maybe {
  const iterator = items[Symbol.iterator]()
  let index = 0
  const run = (): Maybe => {
    for (let { done, value } = iterator.next(); done !== true; { done, value } = iterator.next()) {
      tick()
      const item = value as Item
      const result = visit(item, index)
      index += 1
      if (result === PENDING) {
        return after((late) => {
          const outcome = decide(late, item)
          return outcome === NEXT ? run() : outcome
        })
      }
      const outcome = decide(result, item)
      if (outcome !== NEXT) return outcome
    }
    return end()
  }
  return run()
}

/** The list of results of a function for each item. */
export function collectItems<Item>(items: Iterable<Item>, visit: (item: Item, index: number) => Maybe): Maybe {
  const collected: Value[] = []
  return loop(
    items,
    visit,
    (result) => {
      checkSize(collected.push(result))
      return NEXT
    },
    () => new ListValue(collected),
  )
}

/** Calls a function with each item, for its effect. */
export function eachItem<Item>(
  items: Iterable<Item>,
  visit: (item: Item, index: number) => Maybe,
  end: () => Maybe,
): Maybe {
  return loop(items, visit, () => NEXT, end)
}
