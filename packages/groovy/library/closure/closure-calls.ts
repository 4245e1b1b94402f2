// Calls of closures that are passed to library methods.
import { callFunctional } from '../../runtime/invoke.ts'
import { andThen, type Maybe, settled } from '../../runtime/pending.ts'
import { ClosureValue } from '../../values/closure.ts'
import { MapEntry } from '../../values/collection.ts'
import { truth } from '../../values/truth.ts'
import type { Value } from '../../values/value.ts'

/** Calls a closure, or an object of a functional interface, with one item. */
export function call(callee: Value, ...args: Value[]): Maybe {
  return callee instanceof ClosureValue ? callee.call(args) : callFunctional(callee, args)
}

/** As `call`; an entry of a map is passed as key and value to a closure with two parameters. */
export function callOnEntry(callee: Value, entry: MapEntry, ...more: Value[]): Maybe {
  const takesBoth = callee instanceof ClosureValue && callee.parameterCount >= 2 + more.length
  return takesBoth ? call(callee, entry.key, entry.value, ...more) : call(callee, entry, ...more)
}

/** Calls with an item of any iterable value; items of a map are entries. */
export function callOn(callee: Value, item: Value): Maybe {
  return item instanceof MapEntry ? callOnEntry(callee, item) : call(callee, item)
}

/** The result of a closure as a boolean. */
export function test(callee: Value, item: Value): Maybe {
  return andThen(callOn(callee, item), truth)
}

/** Calls a closure whose value is needed synchronously. */
export function callNow(where: string, callee: Value, ...args: Value[]): Value {
  return settled(call(callee, ...args), where)
}
