import type { Script, ScriptEngine, ScriptSettings } from './engine.ts'
import { Evaluation, type EvaluationSettings } from './evaluation.ts'
import type { EvaluationInput } from './evaluation-input.ts'
import { HeapObject } from './evaluation-port.ts'
import { guardFor } from './guard.ts'
import { compileRealmProgram, type RealmProgram, type ScriptSource } from './program.ts'
import { Realm } from './realm.ts'
import { watchRejections } from './rejections.ts'

/** Compiles a script of JavaScript or TypeScript. */
export function compileRealmScript(source: ScriptSource): Script {
  const program = compileRealmProgram(source)
  return {
    text: source.text,
    program,
    undeclared: [],
    hasChanged: async () => false,
    open: (settings) => new RealmEngine(settings),
  }
}

/** Runs the programs of one object in a separate realm. */
class RealmEngine implements ScriptEngine {
  readonly #settings: ScriptSettings
  #common: EvaluationSettings | null = null

  constructor(settings: ScriptSettings) {
    this.#settings = settings
  }

  evaluate(program: unknown, input: EvaluationInput): Promise<unknown> {
    // Created on first use: a realm takes about two milliseconds and some memory.
    this.#common ??= this.#open()
    return new Evaluation(this.#common, program as RealmProgram, input).outcome
  }

  #open(): EvaluationSettings {
    const { scope, logger, clientHandler, secrets, clock, args, timeout, deadline } = this.#settings
    const realm = new Realm(scope)
    const guard = guardFor(timeout)
    watchRejections(realm, guard, logger)
    const heapArgs = new Set(Object.keys(args).filter((name) => holdsObject(args[name])))
    return { realm, guard, logger, clientHandler, secrets, clock, args, heapArgs, timeout, deadline }
  }
}

function holdsObject(value: unknown): boolean {
  if (value instanceof HeapObject) return true
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsObject)
}
