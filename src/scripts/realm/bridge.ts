import type { Crossing } from '../crossing.ts'
import type { Handle } from '../handle.ts'

/** The way out of a realm. */
export interface RealmBridge {
  /** A function of the gateway as one of the realm. What it throws is an error of the realm. */
  wrap(action: Crossing): Crossing
  /** An error of the realm for one of the gateway. */
  errorFor(message: string, cause: unknown): Error
  /** The gateway's error behind an error of the realm, as a handle. */
  causeOf(error: unknown): unknown
}

/**
 * Made inside the realm from the text of this function, as everything in this folder: it uses nothing but its parameters and
 * the language.
 */
export function realmBridge(failed: Handle, failureMessage: Crossing, failureCause: Crossing): RealmBridge {
  const { Error: RealmError, RangeError: RealmRangeError } = globalThis
  const causes = new WeakMap<object, unknown>()

  const errorFor = (message: string, cause: unknown): Error => {
    const error = new RealmError(message)
    causes.set(error, cause)
    return error
  }

  /**
   * The one thing that a crossing throws is that no stack is left, and that error is of the gateway's realm: it is
   * dropped unseen.
   */
  const called = (action: Crossing, a: unknown, b: unknown, c: unknown, d: unknown, e: unknown): unknown => {
    try {
      return action(a, b, c, d, e)
    } catch {
      throw new RealmRangeError('Maximum call stack size exceeded')
    }
  }

  const failure = (): Error => {
    const message = called(failureMessage, 0, 0, 0, 0, 0) as string
    return errorFor(message, called(failureCause, 0, 0, 0, 0, 0))
  }

  return {
    wrap: (action) => (a, b, c, d, e) => {
      const result = called(action, a, b, c, d, e)
      if (result === failed) throw failure()
      return result
    },
    errorFor,
    causeOf: (error) => (typeof error === 'object' && error !== null ? causes.get(error) : undefined),
  }
}
