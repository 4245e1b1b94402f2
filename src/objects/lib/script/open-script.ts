import type { Executor } from '#contracts'
import { ConfigError, type Environment, type Problem } from '#schema'
import {
  compileScript,
  formatProblem,
  ObjectScript,
  type Script,
  type ScriptProblem,
  ScriptSyntaxError,
} from '#scripts'
import { DirectoryWatch } from '#secrets'
import { bindingsIn, type ScriptConfig } from './script-fields.ts'
import { ScriptFile, type ScriptText } from './script-file.ts'

/** Compiles the script of an object, and again whenever its file changes. Throws ConfigError where it does not compile. */
export async function openScript(
  config: ScriptConfig,
  env: Environment,
  own: readonly string[] = [],
): Promise<ObjectScript> {
  const { type: language, args, clientHandler } = config
  const bindings = [...bindingsIn(language, own), ...Object.keys(args)]
  const compile = ({ name, text }: ScriptText): Promise<Script> =>
    compileScript({ language, text, file: name, bindings })
  const file = config.file === undefined ? null : new ScriptFile(env.directories.scripts, language, config.file)
  const first = file === null ? inline(config, env) : await file.read()
  const script = new ObjectScript(await compiled(() => compile(first), config), {
    scope: env.scope,
    logger: env.logger,
    clientHandler,
    args,
    clock: env.clock,
    environment: env.scriptEnvironment,
    timeout: env.scriptTimeout,
    deadline: env.scriptDeadline,
  })
  if (file !== null) await follow(file, env, async (text) => script.replace(await compile(text)))
  return script
}

function inline({ source = '' }: ScriptConfig, env: Environment): ScriptText {
  return { name: `source of ${env.localName}`, text: typeof source === 'string' ? source : source.join('\n') }
}

async function compiled(compile: () => Promise<Script>, { file, source }: ScriptConfig): Promise<Script> {
  try {
    return await compile()
  } catch (error) {
    if (!(error instanceof ScriptSyntaxError)) throw error
    throw new ConfigError(
      error.problems.map((each) =>
        file === undefined ? problemInSource(each, source) : { pointer: '/file', message: formatProblem(each) },
      ),
    )
  }
}

/** Where each line is an element of the source, the problem is at that element. */
function problemInSource({ place, problem }: ScriptProblem, source: ScriptConfig['source']): Problem {
  if (place === null) return { pointer: '/source', message: `the script can not be compiled: ${problem}` }
  const pointer = typeof source === 'object' && place.line <= source.length ? `/source/${place.line - 1}` : '/source'
  return { pointer, message: `the script can not be compiled: line ${place.line}, column ${place.column}: ${problem}` }
}

/** Takes over what is written to the file; what can not be used is logged, and the last good script stays. */
async function follow(file: ScriptFile, env: Environment, replace: (text: ScriptText) => Promise<void>): Promise<void> {
  let complained = ''
  const check = async (): Promise<void> => {
    try {
      if (!(await file.hasChanged())) return
      const text = await file.read()
      await replace(text)
      complained = ''
      env.logger.info({ file: text.name }, 'the script has changed and is used from now on')
    } catch (error) {
      const { message } = error as Error
      if (message === complained) return
      complained = message
      env.logger.error({ problem: message }, 'the changed script can not be used; the last good one stays in use')
    }
  }
  env.onReload(() => void check())
  const watch = new DirectoryWatch({ directory: await file.directory(), executor: timers, check })
  env.onDispose(() => watch.stop())
}

/** The clock of the watch. Its timers do not keep the process alive. */
const timers: Executor = {
  schedule: (delay, task) => {
    const timer = setTimeout(() => void task(), delay).unref()
    return () => clearTimeout(timer)
  },
  repeat: (interval, task) => {
    const stop = new AbortController()
    const wait = () => {
      if (stop.signal.aborted) return
      const timer = setTimeout(() => void Promise.try(task).finally(wait), interval).unref()
      stop.signal.onabort = () => clearTimeout(timer)
    }
    wait()
    return () => stop.abort()
  },
}
