// How a script waits. Code that meets something not yet there returns PENDING; each caller that sees it leaves behind what
// it has still to do, and returns PENDING too. When the value comes, what was left behind runs, innermost first. Code that
// never waits makes no promise and no continuation.
import type { ClassInfo } from '../values/class-info.ts'
import { unsupported } from '../values/exceptions.ts'
import { GroovyObject, type Value } from '../values/value.ts'

class PendingMarker extends GroovyObject {
  get klass(): ClassInfo {
    throw new TypeError('a value that is not there yet was used')
  }
}

/** Returned instead of a value by code that waits. */
export const PENDING: Value = new PendingMarker()

/** What is left to do once a value is there. */
export interface Continuation {
  resume(value: Value): Value
  /** For code that catches, or has to clean up; without it an error goes on to the next one. */
  readonly fail?: (error: unknown) => Value
}

/** A wait, and what is to be done after it, innermost first. */
export interface Suspension {
  readonly source: PromiseLike<Value>
  readonly continuations: Continuation[]
}

let current: Suspension | null = null

/** Waits for a value; what this returns must be returned. */
export function suspend(source: PromiseLike<Value>): Value {
  current = { source, continuations: [] }
  return PENDING
}

/** Says what to do with the value that the callee returned PENDING for. */
export function after(resume: (value: Value) => Value): Value {
  ;(current as Suspension).continuations.push({ resume })
  return PENDING
}

/** As `after`, with what to do when there will be no value. */
export function afterEither(resume: (value: Value) => Value, fail: (error: unknown) => Value): Value {
  ;(current as Suspension).continuations.push({ resume, fail })
  return PENDING
}

/** Adds what is left of an earlier wait to the one that has just begun. */
export function continueWith(continuations: readonly Continuation[]): Value {
  ;(current as Suspension).continuations.push(...continuations)
  return PENDING
}

/** Applies a function to a value now, or when it is there. */
export function andThen(value: Value, next: (value: Value) => Value): Value {
  return value === PENDING ? after(next) : next(value)
}

/** The wait that code which returned PENDING has begun. */
export function takeSuspension(): Suspension {
  const taken = current as Suspension
  current = null
  return taken
}

/** For values that are needed at once, such as what a comparison or `toString` returns. */
export function settled(value: Value, where: string): Value {
  if (value !== PENDING) return value
  takeSuspension().source.then(
    () => undefined,
    () => undefined,
  )
  throw unsupported(`a script can not wait within ${where}; wait before it and use the value there`)
}
