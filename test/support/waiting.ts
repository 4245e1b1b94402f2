// Waits with a limit: an event or state that does not occur fails its test with a description instead of the time-out of the run.
import { type EventEmitter, once as onceUnbounded } from 'node:events'

/** Below the time-out of a test in scripts/test.ts, beyond any wait on a busy machine. */
const LIMIT = 30_000

// Taken before a test replaces timers by a mock.
const { setTimeout, clearTimeout, setImmediate } = globalThis

/** Waits until a condition holds. `what` completes "30 s passed before ..." and names the missing state. */
export async function waitUntil(what: string, holds: () => boolean | Promise<boolean>, limit = LIMIT): Promise<void> {
  const end = performance.now() + limit
  for (let turns = 0; !(await holds()); turns++) {
    if (performance.now() > end) throw new Error(`${limit / 1000} s passed before ${what}`)
    // Most states are reached within some turns of the event loop; a longer wait leaves the processor to the code under test.
    await new Promise((resolve) => (turns < 20 ? setImmediate(resolve) : setTimeout(resolve, 2)))
  }
}

/** Milliseconds between two values of a count that grows. */
const SAMPLE = 100

/** Waits until a count has stopped growing: three equal values in a row. `what` completes "30 s passed before ...". */
export async function stopsGrowing(what: string, count: () => number, limit = LIMIT): Promise<number> {
  const end = performance.now() + limit
  let last = -1
  for (let same = 0; same < 3; ) {
    if (performance.now() > end) throw new Error(`${limit / 1000} s passed before ${what}: ${last}`)
    const now = count()
    same = now === last && now > 0 ? same + 1 : 0
    last = now
    await new Promise((resolve) => setTimeout(resolve, SAMPLE))
  }
  return last
}

/** The result of a promise. `what` completes "30 s passed before ...". */
export function within<T>(what: string, promise: PromiseLike<T>, limit = LIMIT): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  // Created here, for the stack of the caller.
  const error = new Error(`${limit / 1000} s passed before ${what}`)
  const timer = setTimeout(() => reject(error), limit).unref()
  const first = Promise.race([promise, late]).finally(() => clearTimeout(timer))
  // A promise that no test awaits any more is not an error of a later test.
  first.catch(() => {})
  return first
}

/** As `once` of node:events, with a limit. */
export function once(emitter: EventEmitter | EventTarget, event: string, options: object = {}): Promise<unknown[]> {
  const what = `the event "${event}" of ${emitter.constructor.name}`
  return within(what, onceUnbounded(emitter as EventEmitter, event, options))
}
