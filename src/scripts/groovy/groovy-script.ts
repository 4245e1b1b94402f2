import {
  compileProgram,
  DEFAULT_LIMITS,
  GroovyCompileError,
  type GroovyProgram,
  HashMapValue,
  type Limits,
  withRareClasses,
} from '@identity-gateway/groovy'
import type { Script, ScriptEngine, ScriptSettings } from '../engine.ts'
import { ScriptSyntaxError } from '../errors.ts'
import type { EvaluationInput } from '../evaluation-input.ts'
import type { ScriptSource } from '../program.ts'
import { BINDING_CLASSES, gatewayLibrary } from './gateway-library.ts'
import { GroovyEvaluation } from './groovy-evaluation.ts'
import { secretCallProblem } from './secrets.ts'
import { SharedClasses } from './shared-classes.ts'
import { undeclaredNames } from './undeclared-names.ts'

/** Compiles a script of Groovy, with the classes of other files that it imports, and loads what few scripts use. */
export function compileGroovyScript(source: ScriptSource): Promise<Script> {
  return withRareClasses(() => compiledScript(source))
}

function compiledScript(source: ScriptSource): Script {
  const shared = source.classFolder === undefined ? null : new SharedClasses(source.classFolder, gatewayLibrary)
  const groovy = compiled(source, shared)
  const program = { program: groovy, bindings: new Set(source.bindings) }
  return {
    text: [source.text, ...(shared?.texts ?? [])].join('\n'),
    program,
    undeclared: undeclaredNames(groovy, source.bindings),
    hasChanged: async () => (await shared?.hasChanged()) ?? false,
    open: (settings) => new GroovyEngine(settings),
  }
}

/** OpenIG has a binding of this name. */
const NO_LDAP = 'ldap is not available: scripts can not access LDAP; call a service over HTTP'

function compiled({ text, file, bindings, missing }: ScriptSource, shared: SharedClasses | null): GroovyProgram {
  try {
    const program = compileProgram({
      text,
      file,
      library: gatewayLibrary,
      bindings: new Map([...BINDING_CLASSES].filter(([name]) => bindings.includes(name))),
      checkCall: (binding, call) => {
        if (binding === 'secrets') return secretCallProblem(call, missing?.get('secrets'))
        return binding === 'ldap' && !bindings.includes(binding) ? NO_LDAP : null
      },
      ...(shared === null ? {} : { classes: shared.find }),
    })
    if (shared === null || shared.problems.length === 0) return program
    throw new GroovyCompileError(shared.problems)
  } catch (error) {
    if (!(error instanceof GroovyCompileError)) throw error
    // Errors of an imported class are reported instead of those that follow from them.
    const imported = shared?.problems ?? []
    throw syntaxError(imported.length > 0 ? new GroovyCompileError(imported) : error)
  }
}

function syntaxError({ problems }: GroovyCompileError): ScriptSyntaxError {
  const [first, ...more] = problems.map(({ message, file, line, column }) => ({
    problem: message,
    location: { file, line, column },
  }))
  return new ScriptSyntaxError(first?.problem ?? 'it can not be compiled', first?.location ?? null, ...more)
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
