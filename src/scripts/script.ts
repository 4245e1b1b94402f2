import type { Scope } from '#expression'
import { type Handler, loadMentioned } from '#http'
import type { Logger } from '#logging'
import { Evaluation, type EvaluationInput, type EvaluationSettings } from './evaluation.ts'
import { HeapObject } from './evaluation-port.ts'
import { guardFor } from './guard.ts'
import type { Program } from './program.ts'
import { Realm } from './realm.ts'
import { watchRejections } from './rejections.ts'

/** What surrounds the script of one object. */
export interface ScriptSettings {
  /** Properties, as configuration expressions see them. */
  readonly scope: Scope
  readonly logger: Logger
  /** What `http` sends through. */
  readonly clientHandler: Handler
  /** Data, and `HeapObject`s, by the names under which the script sees them. */
  readonly args: Readonly<Record<string, unknown>>
  /** The longest stretch without a pause, in milliseconds. */
  readonly timeout: number
  /** The longest evaluation, in milliseconds. */
  readonly deadline: number
}

/** The script of one object: a program that can be replaced, in a realm that stays. */
export class ObjectScript {
  readonly #settings: ScriptSettings
  #program: Program
  #common: EvaluationSettings | null = null

  constructor(program: Program, settings: ScriptSettings) {
    this.#program = program
    this.#settings = settings
  }

  /** Evaluations from now on use another program; those under way go on with theirs. */
  replace(program: Program): void {
    this.#program = program
  }

  /** Runs the script. Rejects with ScriptError, ScriptTimeoutError, or the fault of what the script called. */
  evaluate(input: EvaluationInput): Promise<unknown> {
    // A realm takes about a millisecond and some memory: an object that is never used has none.
    this.#common ??= this.#open()
    const common = this.#common
    const program = this.#program
    const loading = loadMentioned(input.exchange, program.text)
    if (loading === null) return new Evaluation(common, program, input).outcome
    return loading.then(() => new Evaluation(common, program, input).outcome)
  }

  #open(): EvaluationSettings {
    const { scope, logger, clientHandler, args, timeout, deadline } = this.#settings
    const realm = new Realm(scope)
    const guard = guardFor(timeout)
    watchRejections(realm, guard, logger)
    const heapArgs = new Set(Object.keys(args).filter((name) => holdsObject(args[name])))
    return { realm, guard, logger, clientHandler, args, heapArgs, timeout, deadline }
  }
}

function holdsObject(value: unknown): boolean {
  if (value instanceof HeapObject) return true
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsObject)
}
