import { loop, NEXT } from '../../runtime/iterate.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { ClosureValue } from '../../values/closure.ts'
import type { Value } from '../../values/value.ts'
import { test } from './closure-calls.ts'

/** Passes to `done` the number of items before the first one that a closure does not accept. */
export function prefixLength(items: Iterable<Value>, closure: ClosureValue, done: (length: number) => Maybe): Maybe {
  let length = 0
  return loop(
    items,
    (item) => test(closure, item),
    (yes) => {
      if (yes !== true) return done(length)
      length += 1
      return NEXT
    },
    () => done(length),
  )
}
