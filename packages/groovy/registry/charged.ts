// What calls of the library's methods cost. All calls pass here, so that no method can be forgotten: the time is checked by the
// size of receiver, arguments and result, and texts that a method creates count, also where it does not count them itself.

import { allocate, checkText, SMALL, spend, writtenText } from '../meter.ts'
import { IteratorValue } from '../runtime/items.ts'
import type { Maybe } from '../runtime/pending.ts'
import { classOf } from '../values/class-of.ts'
import { CharSequenceInterface } from '../values/classes.ts'
import { ClosureValue } from '../values/closure.ts'
import { CollectionValue, MapEntry, MapValue } from '../values/collection.ts'
import { ArrayValue } from '../values/java-array.ts'
import { GroovyObject, type Value } from '../values/value.ts'

type Call = (self: Value, args: unknown[]) => Maybe

/** Characters of a short text for one element of an array. */
const SHARE = 2

/** A library method whose calls are charged; `isStatic` also for constructors. */
export function charged(call: Call, isStatic: boolean): Call {
  return (self, args) => {
    let size = weightOf(self)
    for (let index = 0; index < args.length; index++) size += weightOf(args[index])
    if (size > SMALL) spend(size)
    const before = writtenText()
    const result = call(self, args)
    if (typeof result === 'string') {
      if (result.length > SMALL) chargeText(result, isStatic ? null : self, args, before)
      else allocate(result.length >> SHARE)
    } else if (result instanceof GroovyObject && result.weight > SMALL) spend(result.weight)
    return result
  }
}

/** Characters, bytes or elements; of a variable number of arguments, those of all. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  if (value instanceof GroovyObject) return value.weight
  return Array.isArray(value) ? value.reduce<number>((sum, each) => sum + weightOf(each), value.length) : 0
}

/** Parts of a text that an object returns may be stored in it. */
const STORED = 3

/** Counts the characters of a result that the method has not counted. */
function chargeText(text: string, self: Value, args: readonly unknown[], before: number): void {
  spend(text.length)
  if (text === self || args.includes(text) || holdsValues(self)) return
  const isStored = self !== null && !classOf(self).isSubclassOf(CharSequenceInterface)
  const uncounted = (isStored ? text.length >> STORED : text.length) - (writtenText() - before)
  if (uncounted > 0) checkText(uncounted)
}

/** Values that return others, which they hold: these are no new texts. */
function holdsValues(self: Value): boolean {
  return (
    self instanceof CollectionValue ||
    self instanceof MapValue ||
    self instanceof MapEntry ||
    self instanceof ArrayValue ||
    self instanceof ClosureValue ||
    self instanceof IteratorValue
  )
}
