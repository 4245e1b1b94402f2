import { tick } from '../../meter.ts'
import { collectItems } from '../../runtime/iterate.ts'
import { after, type Maybe, PENDING } from '../../runtime/pending.ts'
import { ClosureValue } from '../../values/closure.ts'
import type { ListValue } from '../../values/collection.ts'
import { compareValues } from '../../values/compare.ts'
import { javaEquals } from '../../values/equality.ts'
import { ClassCastException, IllegalArgumentException } from '../../values/exceptions.ts'
import { hashOf } from '../../values/hash.ts'
import { isNumber, toInt } from '../../values/number-tower.ts'
import { ThrowableValue } from '../../values/throwable.ts'
import type { Value } from '../../values/value.ts'
import { call } from '../closure/closure-calls.ts'

/** Compares as Groovy sorts: values that are not comparable by their hash codes. */
export function compareAny(left: Value, right: Value): number {
  try {
    return compareValues(left, right)
  } catch (error) {
    if (!(error instanceof ThrowableValue)) throw error
    if (error.klass !== IllegalArgumentException && !error.klass.isSubclassOf(ClassCastException)) throw error
    const order = Math.sign(hashOf(left) - hashOf(right))
    return order === 0 && !javaEquals(left, right) ? -1 : order
  }
}

/** Returns the order of two items as a number, or PENDING. */
type Comparing = (left: Value, right: Value) => Maybe

/** The order by a closure or Comparator: with two parameters it compares, with one it returns a sort key. */
export function comparingBy(callee: Value | null): { readonly compare: Comparing; readonly key: Value | null } {
  if (callee === null) return { compare: compareAny, key: null }
  if (callee instanceof ClosureValue && callee.parameterCount === 1) return { compare: compareAny, key: callee }
  return { compare: (left, right) => call(callee, left, right), key: null }
}

/** Sorts items and calls `done` with the result. Comparison closures may suspend. */
export function sorted(items: readonly Value[], callee: Value | null, done: (sorted: Value[]) => Maybe): Maybe {
  const { compare, key } = comparingBy(callee)
  if (key === null) return mergeSort([...items], compare, done)
  const keyed = (keys: Value): Maybe => {
    const values = (keys as ListValue).items
    const order = items.map((item, index) => ({ item, key: values[index] as Value }))
    return done(order.sort((left, right) => countedCompare(left.key, right.key)).map(({ item }) => item))
  }
  const keys = collectItems(items, (item) => call(key, item))
  return keys === PENDING ? after(keyed) : keyed(keys)
}

function countedCompare(left: Value, right: Value): number {
  tick()
  return compareAny(left, right)
}

/** A stable merge sort that can suspend at each comparison. */
function mergeSort(items: Value[], compare: Comparing, done: (sorted: Value[]) => Maybe): Maybe {
  const state = { source: items, target: new Array<Value>(items.length), width: 1, start: 0, left: 0, right: 0, at: 0 }
  const { length } = items
  /** Appends the next item of the two runs that are merged. */
  const take = (order: number): void => {
    state.target[state.at] = (order <= 0 ? state.source[state.left++] : state.source[state.right++]) as Value
    state.at += 1
  }
  const run = (): Maybe => {
    while (state.width < length) {
      while (state.start < length) {
        const middle = Math.min(state.start + state.width, length)
        const end = Math.min(state.start + 2 * state.width, length)
        while (state.at < end) {
          if (state.left >= middle) take(1)
          else if (state.right >= end) take(-1)
          else {
            tick()
            const order = compare(state.source[state.left] as Value, state.source[state.right] as Value)
            if (order === PENDING) {
              return after((late) => {
                take(orderOf(late))
                return run()
              })
            }
            take(orderOf(order))
          }
        }
        begin(end)
      }
      ;[state.source, state.target] = [state.target, state.source]
      state.width *= 2
      begin(0)
    }
    return done(state.source)
  }
  const begin = (start: number): void => {
    state.start = start
    state.at = start
    state.left = start
    state.right = Math.min(start + state.width, length)
  }
  begin(0)
  return run()
}

function orderOf(value: Value): number {
  return isNumber(value) ? toInt(value) : typeof value === 'boolean' && value ? 1 : 0
}
