import {
  Evaluation,
  GroovyError,
  GroovyLimitError,
  type GroovyProgram,
  type HashMapValue,
  type Limits,
  ThrowableValue,
  type Value,
} from '@identity-gateway/groovy'
import type { ScriptSettings } from '../engine.ts'
import { formatLocation, InvalidCallError, ScriptError, ScriptTimeoutError } from '../errors.ts'
import { EvaluationCalls } from '../evaluation-calls.ts'
import type { EvaluationInput } from '../evaluation-input.ts'
import { ScriptBindings } from './bindings.ts'
import { AccessTokenException } from './functional.ts'
import { hostCause } from './host-class.ts'
import { platformProperty } from './platform-property.ts'
import { PromiseValue } from './promise.ts'
import { resultOf } from './results.ts'

/** One run of a script for one request, from its start to its outcome. */
export class GroovyEvaluation {
  readonly #settings: ScriptSettings
  readonly #input: EvaluationInput
  readonly #evaluation: Evaluation
  readonly #calls: EvaluationCalls
  readonly #bindings: ScriptBindings
  #line = ''

  constructor(
    settings: ScriptSettings,
    limits: Limits,
    globals: HashMapValue,
    offered: ReadonlySet<string>,
    input: EvaluationInput,
  ) {
    const { exchange } = input
    this.#settings = settings
    this.#input = input
    this.#evaluation = new Evaluation(limits, (text) => this.#print(text), {
      now: () => settings.clock.now(),
      environment: settings.environment,
      property: (name) => platformProperty(name, settings.scope),
      maxDigits: exchange.storage.entityLimits.digits,
    })
    this.#calls = new EvaluationCalls(input, settings)
    exchange.request.entityLimits = exchange.storage.entityLimits
    const host = {
      exchange,
      calls: this.#calls,
      logger: settings.logger,
      logged: { entries: 0 },
      clock: settings.clock,
      files: settings.files,
      failureResponse: settings.failureResponse ?? (() => null),
      publish: () => this.#bindings.publish(),
    }
    this.#bindings = new ScriptBindings(settings, input, host, globals, offered)
    this.#evaluation.host = host
  }

  /** Rejects with ScriptError, ScriptTimeoutError, or the fault of an object that the script called. */
  async run(program: GroovyProgram): Promise<unknown> {
    let result: unknown = null
    try {
      const value = program.run({ binding: this.#bindings.binding, evaluation: this.#evaluation })
      const isPending = value instanceof Promise || (value instanceof PromiseValue && value.outcome === null)
      const settled = isPending ? await this.#withDeadline(resolved(value), program.file) : await resolved(value)
      result = this.#deliver(settled)
      return result
    } catch (thrown) {
      // The exception of a promise that the script returned was not thrown by the interpreter.
      const error = thrown instanceof ThrowableValue ? new GroovyError(thrown) : thrown
      if (this.#isRejectedToken(error)) return null
      throw failureOf(error, program.file)
    } finally {
      // Callbacks of calls that the script did not wait for do not run.
      this.#evaluation.cancel(ENDED)
      this.#calls.end(result)
      this.#flush()
    }
  }

  /** A resolver may throw AccessTokenException for an invalid token, instead of returning null. */
  #isRejectedToken(error: unknown): boolean {
    if (this.#input.token === undefined || !(error instanceof GroovyError)) return false
    if (!error.throwable.klass.isSubclassOf(AccessTokenException)) return false
    this.#settings.logger.debug(error.message)
    return true
  }

  /** Conversions count against the limit of the script. */
  #deliver(value: Value): unknown {
    let result: unknown = null
    this.#evaluation.run(() => {
      result = resultOf(value, this.#input.result)
      this.#bindings.publish()
      return null
    })
    return result
  }

  async #withDeadline(value: Promise<Value>, file: string): Promise<Value> {
    const { deadline } = this.#settings
    const { promise, reject } = Promise.withResolvers<Value>()
    const timer = setTimeout(() => {
      const error = new ScriptTimeoutError(`${file}: timed out: it did not end within ${deadline} ms`)
      this.#evaluation.cancel(error)
      reject(error)
    }, deadline).unref()
    try {
      return await Promise.race([value, promise])
    } finally {
      clearTimeout(timer)
    }
  }

  /** `println` writes log entries of level info. */
  #print(text: string): void {
    const lines = (this.#line + text).split('\n')
    this.#line = (lines.pop() ?? '').slice(0, MAX_LINE)
    for (const line of lines.slice(0, MAX_LINES)) this.#settings.logger.info(line.slice(0, MAX_LINE))
  }

  #flush(): void {
    if (this.#line !== '') this.#print('\n')
  }
}

/** Created once: capturing the stack of an error costs more than most scripts. */
const ENDED = new ScriptError('the request that this belongs to has ended', null)

const MAX_LINE = 16_384
const MAX_LINES = 1_000

/** The result of a script; waits for a promise. */
async function resolved(value: Value | Promise<Value>): Promise<Value> {
  let at = await value
  while (at instanceof PromiseValue) at = await at.source
  return at
}

/** Converts an error of the interpreter for the object. */
function failureOf(error: unknown, file: string): unknown {
  if (error instanceof GroovyError) {
    const { message, location, throwable } = error
    return hostCause(throwable) ?? new ScriptError(location === null ? `${file}: ${message}` : message, location)
  }
  if (error instanceof GroovyLimitError) {
    const location = error.location === null ? file : formatLocation(error.location)
    if (error.limit === 'time') return new ScriptTimeoutError(`${location}: stopped: ${error.message}`)
    return new ScriptError(`stopped: ${error.message}`, error.location)
  }
  if (error instanceof InvalidCallError) return new ScriptError(`${file}: ${error.message}`, null)
  if (error instanceof TypeError || error instanceof RangeError) {
    return new ScriptError(`${file}: ${error.message}`, null, error)
  }
  return error
}
