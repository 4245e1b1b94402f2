import type { Handle } from '../handle.ts'
import type { HostFunction } from '../host-function.ts'

/** Calls from a realm to the gateway. */
export interface RealmBridge {
  /** Wraps a host function; it throws errors of the realm. */
  wrap(action: HostFunction): HostFunction
  /** An error of the realm for one of the gateway. */
  errorFor(message: string, cause: unknown): Error
  /** The gateway's error of an error of the realm, as a handle. */
  causeOf(error: unknown): unknown
}

/**
 * Compiled inside the realm from the text of this function, like all functions of this folder: it can use its parameters and
 * the language only.
 */
export function realmBridge(failed: Handle, failureMessage: HostFunction, failureCause: HostFunction): RealmBridge {
  const { Error: RealmError, RangeError: RealmRangeError } = globalThis
  const causes = new WeakMap<object, unknown>()

  const errorFor = (message: string, cause: unknown): Error => {
    const error = new RealmError(message)
    causes.set(error, cause)
    return error
  }

  /**
   * A host function throws only on a stack overflow, with an error of the gateway's realm: it is replaced without being
   * accessed.
   */
  const called = (action: HostFunction, a: unknown, b: unknown, c: unknown, d: unknown, e: unknown): unknown => {
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
