// Suspension of scripts. Code that needs a value that is not available yet returns PENDING; each caller adds its continuation
// and returns PENDING too. When the value is available, the continuations run, innermost first. Code that never suspends
// creates no promise and no continuation.
import { unsupported } from '../values/exceptions.ts'
import type { Value } from '../values/value.ts'

/** Returned instead of a value by code that suspends. */
export const PENDING: unique symbol = Symbol('pending')

/** The result of code that may suspend. It is no `Value`, so that a caller that forgets to wait does not compile. */
export type Maybe = Value | typeof PENDING

/** A continuation. */
export interface Continuation {
  resume(value: Value): Maybe
  /** For `catch` and `finally`; without it an error is passed to the next continuation. */
  readonly fail?: (error: unknown) => Maybe
}

/** A suspension and its continuations, innermost first. */
export interface Suspension {
  readonly source: PromiseLike<Value>
  readonly continuations: Continuation[]
}

let current: Suspension | null = null

/** Suspends until a value is available; callers must return the result. */
export function suspend(source: PromiseLike<Value>): typeof PENDING {
  current = { source, continuations: [] }
  return PENDING
}

/** Adds a continuation after a callee that returned PENDING. */
export function after(resume: (value: Value) => Maybe): typeof PENDING {
  ;(current as Suspension).continuations.push({ resume })
  return PENDING
}

/** As `after`, with an error handler. */
export function afterEither(resume: (value: Value) => Maybe, fail: (error: unknown) => Maybe): typeof PENDING {
  ;(current as Suspension).continuations.push({ resume, fail })
  return PENDING
}

/** Moves the remaining continuations of an earlier suspension to the current one. */
export function continueWith(continuations: readonly Continuation[]): typeof PENDING {
  ;(current as Suspension).continuations.push(...continuations)
  return PENDING
}

/** Applies a function to a value now, or when it is available. */
export function andThen(value: Maybe, next: (value: Value) => Maybe): Maybe {
  return value === PENDING ? after(next) : next(value)
}

/** The suspension of code that returned PENDING. */
export function takeSuspension(): Suspension {
  const taken = current as Suspension
  current = null
  return taken
}

/** For values that are needed synchronously, such as results of comparisons or `toString`. */
export function settled(value: Maybe, where: string): Value {
  if (value !== PENDING) return value
  takeSuspension().source.then(
    () => undefined,
    () => undefined,
  )
  throw unsupported(`a script can not wait within ${where}; wait before it and use the value there`)
}
