import { appendPointer } from '#json'
import { Deferred, type SettleContext, type Settled } from './deferred.ts'
import { documentPointer } from './document-places.ts'
import { checkOpenRules } from './open-rules.ts'
import { ConfigError, type Problem } from './problem.ts'

/** Settles a decoded configuration; throws with all problems. */
export async function settle<C>(
  decoded: C,
  context: Omit<SettleContext, 'report'>,
  pointer: string,
): Promise<Settled<C>> {
  const problems: Problem[] = []
  let failed = false
  // Inside of the decoded values pointers have the current names of fields.
  const located = (at: string): string => pointer + documentPointer(decoded, at)
  const collecting: SettleContext = {
    scope: context.scope,
    isLenient: context.isLenient ?? false,
    inheritedSecrets: () => context.inheritedSecrets(),
    warn: (at, message) => context.warn(located(at), message),
    reads: (at, contexts) => context.reads?.(located(at), contexts),
    report: (at, message) => problems.push({ pointer: located(at), message }),
    resolve: async (reference, at) => {
      try {
        return await context.resolve(reference, located(at))
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        // It has no problems where they are already reported.
        failed = true
        problems.push(...error.problems)
        return undefined
      }
    },
  }
  const settled = await settleValue(decoded, collecting, '')
  if (failed || problems.length > 0) throw new ConfigError(problems)
  return settled as Settled<C>
}

/** Settles one value. Returns a promise only where a nested value is asynchronous. */
export function settleValue(value: unknown, context: SettleContext, pointer: string): unknown {
  if (value instanceof Deferred) return value.settle(context, pointer)
  if (Array.isArray(value)) return settleList(value, context, pointer)
  if (typeof value === 'object' && value !== null && isDecodedObject(value))
    return settleObject(value, context, pointer)
  return value
}

function isDecodedObject(value: object): value is Record<string, unknown> {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function settleList(items: readonly unknown[], context: SettleContext, pointer: string): unknown {
  const settled: unknown[] = []
  return inOrder(
    items.length,
    (at) => settleValue(items[at], context, appendPointer(pointer, at)),
    (at, value) => {
      settled[at] = value
    },
    settled,
  )
}

function settleObject(value: Record<string, unknown>, context: SettleContext, pointer: string): unknown {
  const settled: Record<string, unknown> = Object.create(null)
  checkOpenRules(value, context, ({ at }, message) =>
    context.report(at === undefined ? pointer : appendPointer(pointer, at), message),
  )
  const keys = Object.keys(value)
  return inOrder(
    keys.length,
    (at) => {
      const key = keys[at] as string
      return settleValue(value[key], context, appendPointer(pointer, key))
    },
    // The prototype is null, so that even `__proto__` is a plain assignment.
    (at, result) => {
      settled[keys[at] as string] = result
    },
    settled,
  )
}

/**
 * Sequential: two references settled concurrently could wait for each other, and a cycle would hang instead of being
 * reported.
 */
function inOrder<R>(
  length: number,
  ask: (at: number) => unknown,
  put: (at: number, value: unknown) => void,
  whole: R,
  from = 0,
): R | Promise<R> {
  for (let at = from; at < length; at++) {
    const result = ask(at)
    if (result instanceof Promise) {
      return result.then((value) => {
        put(at, value)
        return inOrder(length, ask, put, whole, at + 1)
      })
    }
    put(at, result)
  }
  return whole
}
