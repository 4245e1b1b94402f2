import { extend } from '../../registry/extend.ts'
import { eachItem } from '../../runtime/iterate.ts'
import { RangeInterface } from '../../values/classes.ts'
import type { ClosureValue } from '../../values/closure.ts'
import { compareValues } from '../../values/compare.ts'
import { illegalArgument } from '../../values/exceptions.ts'
import type { RangeValue } from '../../values/range.ts'
import type { Value } from '../../values/value.ts'
import { call } from '../closure/closure-calls.ts'
import { listOf } from './similar.ts'

/** Every n-th element; in reverse order for a negative step. */
function stepped(range: RangeValue, step: number): Value[] {
  if (step === 0) {
    if (range.size === 0) return []
    throw illegalArgument('Infinite loop detected due to step size of 0')
  }
  const items = step > 0 ? range.items : [...range.items].reverse()
  return items.filter((_, index) => index % Math.abs(step) === 0)
}

function containsWithin(range: RangeValue, value: Value): boolean {
  if (value === null) return false
  return compareValues(value, range.from) >= 0 && compareValues(value, range.to) <= 0
}

extend(RangeInterface, {
  'getFrom(): Object': (self: RangeValue) => self.from,
  'getTo(): Object': (self: RangeValue) => self.to,
  'isReverse(): boolean': (self: RangeValue) => self.isReverse,
  'step(int step): List': (self: RangeValue, step: number) => listOf(stepped(self, step)),
  'step(int step, Closure closure): void': (self: RangeValue, step: number, closure: ClosureValue) =>
    eachItem(
      stepped(self, step),
      (each) => call(closure, each),
      () => null,
    ),
  'by(int step): List': (self: RangeValue, step: number) => listOf(stepped(self, step)),
  'containsWithinBounds(Object value): boolean': containsWithin,
})
