import type { SecretsProvider } from '#contracts'
import type { Scope } from '#expression'
import type { Exchange, Handler, Response } from '#http'
import type { Logger } from '#logging'
import type { ScriptProblem } from './errors.ts'
import type { EvaluationInput } from './evaluation-input.ts'
import type { ReadableFiles } from './groovy/readable-files.ts'

/** Environment of the script of one object. */
export interface ScriptSettings {
  /** Properties of configuration expressions. */
  readonly scope: Scope
  readonly logger: Logger
  /** The handler of `http`. */
  readonly clientHandler: Handler
  /** The response for a failed upstream request, or null for any other error; Groovy scripts get it instead of the error. */
  readonly failureResponse?: (error: unknown, exchange: Exchange) => Response | null
  /** Data and `HeapObject`s by their names in the script. */
  readonly args: Readonly<Record<string, unknown>>
  /** The provider of `secrets`; null where scripts have none. */
  readonly secrets: SecretsProvider | null
  /** Wall-clock milliseconds, for the time functions of scripts. */
  readonly clock: { now(): number }
  /** Variables of the environment that scripts may read (`scriptEnvironment` of admin.json). */
  readonly environment: ReadonlyMap<string, string>
  /** The files that scripts can read; null where scripts read no files. */
  readonly files: ReadableFiles | null
  /** Limit of a synchronous run, in milliseconds. */
  readonly timeout: number
  /** Limit of an evaluation, in milliseconds. */
  readonly deadline: number
}

/** A name that a script uses, and that neither it nor its object declares. */
export interface UndeclaredName extends ScriptProblem {
  readonly name: string
  readonly kind: 'variable' | 'function'
  /** False where it may still be an argument or a property that is not known yet. */
  readonly isCertain: boolean
}

/** A compiled script of any language. */
export interface Script {
  /** Source text. */
  readonly text: string
  /** Compiled form, for the engine of its language. */
  readonly program: unknown
  /** Names that are missing when it runs, unless they are properties of the configuration; of Groovy scripts only. */
  readonly undeclared: readonly UndeclaredName[]
  /** Whether an imported file has changed. */
  hasChanged(): Promise<boolean>
  /** Creates the engine of an object, which holds the state between evaluations. */
  open(settings: ScriptSettings): ScriptEngine
}

/** Runs the programs of one object. */
export interface ScriptEngine {
  /** Rejects with ScriptError, ScriptTimeoutError, or the fault of an object that the script called. */
  evaluate(program: unknown, input: EvaluationInput): Promise<unknown>
}
