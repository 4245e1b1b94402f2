import {
  compileProgram,
  DEFAULT_LIMITS,
  GroovyCompileError,
  type GroovyProgram,
  HashMapValue,
  type Limits,
} from '#groovy'
import type { Script, ScriptEngine, ScriptSettings } from '../engine.ts'
import { ScriptSyntaxError } from '../errors.ts'
import type { EvaluationInput } from '../evaluation-input.ts'
import type { ScriptSource } from '../program.ts'
import { BINDING_CLASSES, customizerLibrary, gatewayLibrary } from './gateway-library.ts'
import { GroovyEvaluation } from './groovy-evaluation.ts'

/** Compiles a script of Groovy. */
export function compileGroovyScript(source: ScriptSource): Script {
  const program = { program: compiled(source), bindings: new Set(source.bindings) }
  return { text: source.text, program, open: (settings) => new GroovyEngine(settings) }
}

function compiled({ text, file, bindings }: ScriptSource): GroovyProgram {
  const isCustomizer = bindings.includes('builder')
  try {
    return compileProgram({
      text,
      file,
      library: isCustomizer ? customizerLibrary : gatewayLibrary,
      bindings: new Map([...BINDING_CLASSES].filter(([name]) => bindings.includes(name))),
    })
  } catch (error) {
    if (error instanceof GroovyCompileError) throw syntaxError(error)
    throw error
  }
}

function syntaxError({ problems }: GroovyCompileError): ScriptSyntaxError {
  const [first, ...more] = problems.map(({ message, file, line, column }) => ({
    problem: message,
    place: { file, line, column },
  }))
  return new ScriptSyntaxError(first?.problem ?? 'it can not be compiled', first?.place ?? null, ...more)
}

/** A program, and the names that it may use. */
interface OfferedProgram {
  readonly program: GroovyProgram
  readonly bindings: ReadonlySet<string>
}

/** Runs the programs of one object. */
class GroovyEngine implements ScriptEngine {
  readonly #settings: ScriptSettings
  readonly #limits: Limits
  readonly #globals = new HashMapValue()

  constructor(settings: ScriptSettings) {
    this.#settings = settings
    this.#limits = { ...DEFAULT_LIMITS, timeout: settings.timeout }
  }

  evaluate(program: unknown, input: EvaluationInput): Promise<unknown> {
    const { program: compiledProgram, bindings } = program as OfferedProgram
    return new GroovyEvaluation(this.#settings, this.#limits, this.#globals, bindings, input).run(compiledProgram)
  }
}
