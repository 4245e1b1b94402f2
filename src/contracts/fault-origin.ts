import type { Filter, Handler, Response } from '#http'
import { activeTraces, traceOf } from './request-trace.ts'

/** Qualified name of the innermost object that threw an error. */
const origins = new WeakMap<object, string>()

/** Null where unknown. */
export function faultOrigin(error: unknown): string | null {
  return typeof error === 'object' && error !== null ? (origins.get(error) ?? null) : null
}

/** Records the name of the handler as the origin of its faults. */
export function attributedHandler(handler: Handler, name: string): Handler {
  const noteFault = (error: unknown): void => note(error, name)
  return (exchange) => {
    const trace = activeTraces === 0 ? null : traceOf(exchange)
    try {
      return watched(trace === null ? handler(exchange) : trace.handler(handler, name, exchange), noteFault)
    } catch (error) {
      noteFault(error)
      throw error
    }
  }
}

/** Records the name of the filter as the origin of its faults; those of `next` already have one. */
export function attributedFilter(filter: Filter, name: string): Filter {
  const noteFault = (error: unknown): void => note(error, name)
  return (exchange, next) => {
    const trace = activeTraces === 0 ? null : traceOf(exchange)
    try {
      return watched(trace === null ? filter(exchange, next) : trace.filter(filter, name, exchange, next), noteFault)
    } catch (error) {
      noteFault(error)
      throw error
    }
  }
}

/**
 * Returns the promise itself, so that a successful request has no further promise to wait for. The error is attributed before
 * the awaiting caller sees it.
 */
function watched(response: Promise<Response>, noteFault: (error: unknown) => void): Promise<Response> {
  if (response instanceof Promise) response.then(undefined, noteFault)
  return response
}

function note(error: unknown, name: string): void {
  if (typeof error === 'object' && error !== null && !origins.has(error)) origins.set(error, name)
}
