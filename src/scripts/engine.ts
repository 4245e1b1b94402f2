import type { Scope } from '#expression'
import type { Handler } from '#http'
import type { Logger } from '#logging'
import type { EvaluationInput } from './evaluation-input.ts'

/** What surrounds the script of one object. */
export interface ScriptSettings {
  /** Properties, as configuration expressions see them. */
  readonly scope: Scope
  readonly logger: Logger
  /** What `http` sends through. */
  readonly clientHandler: Handler
  /** Data, and `HeapObject`s, by the names under which the script sees them. */
  readonly args: Readonly<Record<string, unknown>>
  /** Wall-clock milliseconds, for what a script asks for the time. */
  readonly clock: { now(): number }
  /** Variables of the environment that scripts may read (`scriptEnvironment` of admin.json). */
  readonly environment: ReadonlyMap<string, string>
  /** The folders that scripts may read files from, and not from; null where they read none. */
  readonly files: { readonly instance: string; readonly secrets: string } | null
  /** The longest stretch without a pause, in milliseconds. */
  readonly timeout: number
  /** The longest evaluation, in milliseconds. */
  readonly deadline: number
}

/** A compiled script of any language. */
export interface Script {
  /** As it was written. */
  readonly text: string
  /** What the engine of its language runs. */
  readonly program: unknown
  /** Whether a file that it was compiled with, besides its own, has changed. */
  hasChanged(): Promise<boolean>
  /** Makes the engine for an object; it keeps what lasts from one evaluation to the next. */
  open(settings: ScriptSettings): ScriptEngine
}

/** Runs the programs of one object. */
export interface ScriptEngine {
  /** Rejects with ScriptError, ScriptTimeoutError, or the fault of what the script called. */
  evaluate(program: unknown, input: EvaluationInput): Promise<unknown>
}
