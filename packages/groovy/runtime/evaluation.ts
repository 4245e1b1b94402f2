import {
  DEFAULT_LIMITS,
  depthError,
  enterRun,
  GroovyLimitError,
  type Limits,
  leaveRun,
  type ScriptLocation,
  Usage,
} from '../meter.ts'
import { ThrowableValue, throwableText } from '../values/throwable.ts'
import type { Value } from '../values/value.ts'
import { type Continuation, continueWith, type Maybe, PENDING, type Suspension, takeSuspension } from './pending.ts'
import { DEFAULT_SERVICES, type Services } from './services.ts'

/** An exception that a script threw and did not catch. */
export class GroovyError extends Error {
  override readonly name = 'GroovyError'
  readonly throwable: ThrowableValue
  readonly location: ScriptLocation | null

  constructor(thrown: ThrowableValue) {
    super(throwableText(thrown))
    this.throwable = thrown
    this.location = thrown.location
  }
}

/** Output of `print` and `println`. */
export type Output = (text: string) => void

let current: Evaluation | null = null

/** The evaluation whose code is running. */
export function currentEvaluation(): Evaluation {
  if (current === null) throw new TypeError('no script is running')
  return current
}

/**
 * One evaluation of a script: all code that runs for it, also closures that the host calls later, shares its limits. Code
 * runs synchronously from the start or a resumption to the next suspension.
 */
export class Evaluation {
  readonly limits: Limits
  readonly output: Output
  readonly services: Services
  /** Data of the host for the evaluation. */
  host: object | null = null
  readonly #usage = new Usage()
  #cancelled: Error | null = null

  constructor(
    limits: Limits = DEFAULT_LIMITS,
    output: Output = () => undefined,
    services: Services = DEFAULT_SERVICES,
  ) {
    this.limits = limits
    this.output = output
    this.services = services
  }

  /** Stops the evaluation; pending values are dropped. */
  cancel(reason: Error): void {
    this.#cancelled ??= reason
  }

  /** Runs code. Returns its value, or a promise if the code suspends; throws GroovyError and GroovyLimitError. */
  run(code: () => Maybe): Value | Promise<Value> {
    const outcome = this.#runSynchronously(code)
    if (!(outcome instanceof Suspended)) return outcome
    return new Promise((resolve, reject) => {
      this.#wait(outcome.suspension, resolve, reject)
    })
  }

  #runSynchronously(code: () => Maybe): Value | Suspended {
    if (this.#cancelled !== null) throw this.#cancelled
    const before = current
    current = this
    const saved = enterRun(this.limits, this.#usage)
    try {
      const value = code()
      return value === PENDING ? new Suspended(takeSuspension()) : value
    } catch (error) {
      const seen = hostError(error, this.limits)
      // After an exceeded limit no other code of the evaluation runs.
      if (seen instanceof GroovyLimitError) this.cancel(seen)
      throw seen
    } finally {
      leaveRun(saved, this.#usage)
      current = before
    }
  }

  #wait(
    { source, continuations }: Suspension,
    resolve: (value: Value) => void,
    reject: (error: unknown) => void,
  ): void {
    const proceed = (start: Outcome): void => {
      try {
        const outcome = this.#runSynchronously(() => resume(continuations, start))
        if (outcome instanceof Suspended) this.#wait(outcome.suspension, resolve, reject)
        else resolve(outcome)
      } catch (error) {
        reject(error)
      }
    }
    source.then(
      (value) => proceed({ value }),
      (error: unknown) => proceed({ error }),
    )
  }
}

class Suspended {
  readonly suspension: Suspension

  constructor(suspension: Suspension) {
    this.suspension = suspension
  }
}

type Outcome = { readonly value: Value } | { readonly error: unknown }

/** Runs the continuations, innermost first, until the end or the next suspension. */
function resume(continuations: readonly Continuation[], start: Outcome): Maybe {
  let outcome = start
  for (let index = 0; index < continuations.length; index++) {
    const next = step(continuations[index] as Continuation, outcome)
    if (next === PENDING) return continueWith(continuations.slice(index + 1))
    outcome = next
  }
  if ('error' in outcome) throw outcome.error
  return outcome.value
}

function step({ resume: go, fail }: Continuation, outcome: Outcome): Outcome | typeof PENDING {
  try {
    if ('error' in outcome && fail === undefined) return outcome
    const value = 'value' in outcome ? go(outcome.value) : (fail as (error: unknown) => Maybe)(outcome.error)
    return value === PENDING ? PENDING : { value }
  } catch (error) {
    return { error }
  }
}

/** Converts errors for the host. */
function hostError(error: unknown, limits: Limits): unknown {
  if (error instanceof ThrowableValue) return new GroovyError(error)
  if (error instanceof RangeError && /call stack/i.test(error.message)) return depthError(limits.maxDepth)
  return error
}
