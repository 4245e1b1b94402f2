import type { Filter, Handler, Response } from '#http'

/** Which object an error came out of first. */
const origins = new WeakMap<object, string>()

/** The qualified name of the object a fault came from; null where unknown. */
export function faultOrigin(error: unknown): string | null {
  return typeof error === 'object' && error !== null ? (origins.get(error) ?? null) : null
}

/** A handler whose faults are known under its name. */
export function attributedHandler(handler: Handler, name: string): Handler {
  return (exchange) => {
    try {
      return watched(handler(exchange), name)
    } catch (error) {
      note(error, name)
      throw error
    }
  }
}

/** A filter whose faults are known under its name; what comes from behind it already has one. */
export function attributedFilter(filter: Filter, name: string): Filter {
  return (exchange, next) => {
    try {
      return watched(filter(exchange, next), name)
    } catch (error) {
      note(error, name)
      throw error
    }
  }
}

/**
 * Looks at a promise from the side: the promise itself is passed on, so that a request that goes well waits for
 * nothing more. It is attributed before the awaiting caller sees the error.
 */
function watched(response: Promise<Response>, name: string): Promise<Response> {
  if (response instanceof Promise) response.then(undefined, (error: unknown) => note(error, name))
  return response
}

function note(error: unknown, name: string): void {
  if (typeof error === 'object' && error !== null && !origins.has(error)) origins.set(error, name)
}
