// The supported members of System and Thread.
import { extend } from '../../registry/extend.ts'
import { currentEvaluation } from '../../runtime/evaluation.ts'
import { type Maybe, suspend } from '../../runtime/pending.ts'
import { declareClass } from '../../values/classes.ts'
import { illegalArgument } from '../../values/exceptions.ts'
import { hashOf } from '../../values/hash.ts'
import { HashMapValue } from '../../values/hash-map.ts'
import type { Value } from '../../values/value.ts'

export const SystemClass = declareClass('java.lang.System')
const ThreadClass = declareClass('java.lang.Thread')

/** Milliseconds since the epoch, by the clock of the host. */
export function currentMillis(): number {
  return Math.trunc(currentEvaluation().services.now())
}

/** Maximum time of `sleep`, in milliseconds; the host ends evaluations that take too long. */
const MAX_SLEEP = 600_000

function sleep(milliseconds: bigint): Maybe {
  if (milliseconds < 0n) throw illegalArgument('timeout value is negative')
  const delay = Math.min(Number(milliseconds), MAX_SLEEP)
  return suspend(
    new Promise((resolve) => {
      setTimeout(() => resolve(null), delay).unref()
    }),
  )
}

extend(SystemClass, {
  'static currentTimeMillis(): long': () => BigInt(currentMillis()),
  'static nanoTime(): long': () => process.hrtime.bigint(),
  'static getenv(String name): String': (name: string) => currentEvaluation().services.environment.get(name) ?? null,
  'static getenv(): Map': () => HashMapValue.frozen(HashMapValue.of(currentEvaluation().services.environment)),
  'static getProperty(String name): String': (name: string) => currentEvaluation().services.property(name),
  'static getProperty(String name, String? fallback): String': (name: string, fallback: string | null) =>
    currentEvaluation().services.property(name) ?? fallback,
  'static lineSeparator(): String': () => '\n',
  'static identityHashCode(Object? value): int': (value: Value) => hashOf(value),
})

extend(ThreadClass, {
  'static sleep(long milliseconds): void': sleep,
})
