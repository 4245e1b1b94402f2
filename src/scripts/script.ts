import { loadLazyMembers } from '#http'
import type { Script, ScriptEngine, ScriptSettings } from './engine.ts'
import type { EvaluationInput } from './evaluation-input.ts'
import type { ScriptSource } from './program.ts'
import { compileRealmScript } from './realm-engine.ts'

/** Compiles a script without running any of it. Throws ScriptSyntaxError. */
export async function compileScript(source: ScriptSource): Promise<Script> {
  if (source.language !== 'groovy') return compileRealmScript(source)
  // Imported by the first Groovy script: loading its library takes most of a second.
  const { compileGroovyScript } = await import('./groovy/groovy-script.ts')
  return compileGroovyScript(source)
}

/** The script of one object: a program that can be replaced, and an engine that persists. */
export class ObjectScript {
  readonly #engine: ScriptEngine
  #script: Script

  constructor(script: Script, settings: ScriptSettings) {
    this.#engine = script.open(settings)
    this.#script = script
  }

  /** New evaluations use another program of the same language; those in flight continue with theirs. */
  replace(script: Script): void {
    this.#script = script
  }

  /** Rejects with ScriptError, ScriptTimeoutError, or the fault of an object that the script called. */
  evaluate(input: EvaluationInput): Promise<unknown> {
    const { text, program } = this.#script
    // A script can not wait on reads: lazy values that it mentions are fetched before it runs.
    const loading = loadLazyMembers(input.exchange, text)
    if (loading === null) return this.#engine.evaluate(program, input)
    return loading.then(() => this.#engine.evaluate(program, input))
  }
}
