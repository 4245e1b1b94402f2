import {
  compileProgram,
  DEFAULT_LIMITS,
  GroovyCompileError,
  type GroovyProgram,
  HashMapValue,
  type Limits,
} from '#groovy'
import { isPlainObject } from '#json'
import type { Script, ScriptEngine, ScriptSettings } from '../engine.ts'
import { ScriptSyntaxError } from '../errors.ts'
import type { EvaluationInput } from '../evaluation-input.ts'
import { EVENTS } from '../log-events.ts'
import type { ScriptSource } from '../program.ts'
import { BINDING_CLASSES, gatewayLibrary } from './gateway-library.ts'
import { GroovyEvaluation } from './groovy-evaluation.ts'
import { secretCallProblem } from './secrets.ts'
import { SharedClasses } from './shared-classes.ts'

/** Compiles a script of Groovy, with the classes of other files that it imports. */
export function compileGroovyScript(source: ScriptSource): Script {
  const shared = source.classFolder === undefined ? null : new SharedClasses(source.classFolder, gatewayLibrary)
  const groovy = compiled(source, shared)
  const program: OfferedProgram = {
    program: groovy,
    bindings: new Set(source.bindings),
    environmentNames: new Set([...groovy.environmentNames, ...(shared?.environmentNames ?? [])]),
  }
  return {
    text: [source.text, ...(shared?.texts ?? [])].join('\n'),
    program,
    hasChanged: async () => (await shared?.hasChanged()) ?? false,
    open: (settings) => new GroovyEngine(settings, program),
  }
}

function compiled({ text, file, bindings, missing }: ScriptSource, shared: SharedClasses | null): GroovyProgram {
  try {
    const program = compileProgram({
      text,
      file,
      library: gatewayLibrary,
      bindings: new Map([...BINDING_CLASSES].filter(([name]) => bindings.includes(name))),
      checkCall: (binding, call) => (binding === 'secrets' ? secretCallProblem(call, missing?.get('secrets')) : null),
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
  /** Variables of the environment that it reads by a literal name, in its imported classes too. */
  readonly environmentNames: ReadonlySet<string>
}

/** Runs the programs of one object. */
class GroovyEngine implements ScriptEngine {
  readonly #settings: ScriptSettings
  readonly #limits: Limits
  readonly #globals = new HashMapValue()
  #latest: OfferedProgram

  constructor(settings: ScriptSettings, program: OfferedProgram) {
    this.#settings = settings
    this.#limits = { ...DEFAULT_LIMITS, timeout: settings.timeout }
    this.#latest = program
    warnOfUnlisted(program, settings)
  }

  evaluate(program: unknown, input: EvaluationInput): Promise<unknown> {
    const offered = program as OfferedProgram
    if (offered !== this.#latest) {
      this.#latest = offered
      warnOfUnlisted(offered, this.#settings)
    }
    const { bindings } = offered
    return new GroovyEvaluation(this.#settings, this.#limits, this.#globals, bindings, input).run(offered.program)
  }
}

/** `System.getenv` is null for variables that the gateway has and `scriptEnvironment` does not list. */
function warnOfUnlisted({ program, environmentNames }: OfferedProgram, settings: ScriptSettings): void {
  if (environmentNames.size === 0) return
  const variables = settings.scope.lookup('env')
  if (!isPlainObject(variables)) return
  const { environment, logger } = settings
  for (const name of environmentNames) {
    if (environment.has(name) || !Object.hasOwn(variables, name)) continue
    logger.warn({ script: program.file, variable: name }, EVENTS.VARIABLE_NOT_LISTED)
  }
}
