import { types } from 'node:util'
import { Handle } from './handle.ts'

/** A value on the other side of the realm boundary: primitives unchanged, objects as handles. */
type CrossedValue<V> = unknown extends V ? unknown : V extends object ? Handle : V

/** A table of host functions, with the types that code of a realm sees. */
export type HostTable<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => infer R
    ? (...args: { [I in keyof A]: CrossedValue<A[I]> }) => CrossedValue<R>
    : never
}

/** A function of the gateway that can be called from a realm, with at most five arguments. */
export type HostFunction = (a?: unknown, b?: unknown, c?: unknown, d?: unknown, e?: unknown) => unknown

/** Returned instead of an exception; `failureMessage` and `failureCause` then return the error. */
export const FAILED = new Handle({})

let failure: unknown = null

/**
 * Makes a function of the gateway callable from a realm: objects are passed as handles, errors stay on the side of the gateway,
 * and the function has neither members nor a prototype. Objects of a script are rejected, except byte arrays: code of the
 * gateway would call a proxy among them with arrays of the gateway's realm.
 */
export function hostFunction(action: (...args: never[]) => unknown): HostFunction {
  const run = action as (...args: unknown[]) => unknown
  const cross: HostFunction = (a, b, c, d, e) => {
    try {
      return packed(run(opened(a), opened(b), opened(c), opened(d), opened(e)))
    } catch (error) {
      failure = error
      return FAILED
    }
  }
  return inert(cross)
}

/** The message of the error of the last `FAILED`. */
export const failureMessage = inert(() => {
  const message: unknown = (failure as Error | null)?.message
  return typeof message === 'string' ? message : 'failed'
})

/** The error itself, as a handle. */
export const failureCause = inert(() => {
  const cause = failure
  failure = null
  return packed(cause)
})

/** A value of the gateway for a realm. Functions and symbols are not passed. */
export function packed(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) return new Handle(value)
  return typeof value === 'function' || typeof value === 'symbol' ? undefined : value
}

/** A value that a realm has passed. */
function opened(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'function' || typeof value === 'symbol') throw foreign(value)
    return value
  }
  if (Handle.has(value)) return Handle.open(value)
  // A genuine one: neither a proxy nor an object with that prototype.
  if (types.isUint8Array(value)) return value
  throw foreign(value)
}

function foreign(value: unknown): TypeError {
  return new TypeError(`a ${typeof value} of a script can not be passed to the gateway`)
}

function inert<F extends HostFunction>(action: F): F {
  Object.setPrototypeOf(action, null)
  for (const key of Reflect.ownKeys(action)) Reflect.deleteProperty(action, key)
  return Object.freeze(action)
}
