import { types } from 'node:util'
import { Handle } from './handle.ts'

/** A value as the other side of a crossing sees it: primitives as they are, objects as handles. */
type CrossedValue<V> = unknown extends V ? unknown : V extends object ? Handle : V

/** A table of functions of the gateway as code of a realm calls it. */
export type Crossed<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => infer R
    ? (...args: { [I in keyof A]: CrossedValue<A[I]> }) => CrossedValue<R>
    : never
}

/** A function of the gateway that can be called from a realm, with at most five arguments. */
export type Crossing = (a?: unknown, b?: unknown, c?: unknown, d?: unknown, e?: unknown) => unknown

/** What a crossing returns in place of a throw. The error is then to be had from `failureMessage` and `failureCause`. */
export const FAILED = new Handle({})

let failure: unknown = null

/**
 * Makes a function of the gateway callable from a realm: objects pass as handles, errors stay on this side, and the function
 * itself has neither members nor a prototype. Objects of a script are refused, byte arrays excepted: a proxy among them
 * would be called by code of the gateway, with arrays of the gateway's realm.
 */
export function crossing(action: (...args: never[]) => unknown): Crossing {
  const run = action as (...args: unknown[]) => unknown
  const cross: Crossing = (a, b, c, d, e) => {
    try {
      return packed(run(opened(a), opened(b), opened(c), opened(d), opened(e)))
    } catch (error) {
      failure = error
      return FAILED
    }
  }
  return inert(cross)
}

/** The message of the error behind the last `FAILED`. */
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

/** A value of the gateway as a realm gets it. Functions and symbols do not pass. */
export function packed(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) return new Handle(value)
  return typeof value === 'function' || typeof value === 'symbol' ? undefined : value
}

/** What a realm has handed over. */
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

function inert<F extends Crossing>(action: F): F {
  Object.setPrototypeOf(action, null)
  for (const key of Reflect.ownKeys(action)) Reflect.deleteProperty(action, key)
  return Object.freeze(action)
}
