// `case` of switch, and `in`.
import { ClassInfo } from '../values/class-info.ts'
import { classOf } from '../values/class-of.ts'
import { ClosureValue } from '../values/closure.ts'
import { groovyEquals } from '../values/equality.ts'
import { truth } from '../values/truth.ts'
import type { Value } from '../values/value.ts'
import { andThen, type Maybe } from './pending.ts'

/** Whether a value matches a candidate: an object of a class, an element of a collection, a match of a pattern. */
export function isCase(candidate: Value, value: Value): Maybe {
  if (candidate === null) return value === null
  if (candidate instanceof ClassInfo) {
    return value instanceof ClassInfo
      ? value.isSubclassOf(candidate)
      : value !== null && classOf(value).isSubclassOf(candidate)
  }
  if (candidate instanceof ClosureValue) return andThen(candidate.call([value]), truth)
  const result = classOf(candidate).method('isCase')?.tryInvoke(candidate, [value])
  return result === undefined ? groovyEquals(candidate, value) : andThen(result, truth)
}
