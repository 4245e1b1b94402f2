import { loadLazyMembers } from '#http'
import type { Script, ScriptEngine, ScriptSettings } from './engine.ts'
import type { EvaluationInput } from './evaluation-input.ts'
import type { ScriptSource } from './program.ts'
import { compileRealmScript } from './realm-engine.ts'

/** Compiles a script without running any of it. Throws ScriptSyntaxError. */
export async function compileScript(source: ScriptSource): Promise<Script> {
  if (source.language !== 'groovy') return compileRealmScript(source)
  // Loaded with the first script that needs it: its library takes most of a second.
  const { compileGroovyScript } = await import('./groovy/groovy-script.ts')
  return compileGroovyScript(source)
}

/** The script of one object: a program that can be replaced, in an engine that stays. */
export class ObjectScript {
  readonly #engine: ScriptEngine
  #script: Script

  constructor(script: Script, settings: ScriptSettings) {
    this.#engine = script.open(settings)
    this.#script = script
  }

  /** Evaluations from now on use another program of the same language; those under way go on with theirs. */
  replace(script: Script): void {
    this.#script = script
  }

  /** Runs the script. Rejects with ScriptError, ScriptTimeoutError, or the fault of what the script called. */
  evaluate(input: EvaluationInput): Promise<unknown> {
    const { text, program } = this.#script
    // A script reads values at once: those that are fetched on first read are fetched before it runs.
    const loading = loadLazyMembers(input.exchange, text)
    if (loading === null) return this.#engine.evaluate(program, input)
    return loading.then(() => this.#engine.evaluate(program, input))
  }
}
