import { join } from 'node:path'
import { failureResponse, logFailure, UpstreamError } from '#client'
import type { Executor } from '#contracts'
import type { Exchange, Response } from '#http'
import { ConfigError, type Environment, type Problem } from '#schema'
import {
  compileScript,
  formatProblem,
  listedVariables,
  NO_SECRETS_PROVIDER,
  ObjectScript,
  type Script,
  type ScriptProblem,
  ScriptSyntaxError,
} from '#scripts'
import { DirectoryWatch } from '#secrets'
import { EVENTS } from './log-events.ts'
import { withoutOwnClock } from './script-arguments.ts'
import { bindingsIn, type ScriptConfig } from './script-fields.ts'
import { ScriptFile, type ScriptText } from './script-file.ts'

/** Compiles the script of an object, and again when its file changes. Throws ConfigError where it does not compile. */
export async function openScript(
  config: ScriptConfig,
  env: Environment,
  own: readonly string[] = [],
): Promise<ObjectScript> {
  const { type: language, clientHandler, secretsProvider = null } = config
  const args = withoutOwnClock(config, env)
  const missing = missingBindings(config, env)
  const known = bindingsIn(language, own).filter((name) => name !== 'secrets' || secretsProvider !== null)
  const bindings = [...known, ...Object.keys(args)]
  const classFolder = join(env.directories.scripts, 'groovy')
  const compile = ({ name, text }: ScriptText): Promise<Script> =>
    compileScript({ language, text, file: name, bindings, missing, classFolder })
  const file = config.file === undefined ? null : new ScriptFile(env.directories.scripts, language, config.file)
  const first = file === null ? inline(config, env) : await file.read()
  const compiledScript = await compiled(() => compile(first), config)
  if (first.problem !== null) env.warn(formatProblem(first.problem), '/file')
  for (const { name, problem, location } of compiledScript.undeclared) {
    if (!isProperty(name, env)) warnOfName({ problem, location }, config, env)
  }
  const script = new ObjectScript(compiledScript, {
    scope: env.scope,
    logger: env.logger,
    clientHandler,
    failureResponse: (error, exchange) => loggedFailure(error, exchange, env),
    args,
    secrets: secretsProvider,
    clock: env.clock,
    environment: listedVariables(env.settings.scriptEnvironment, env.variables),
    files: { ...env.directories, readable: env.settings.scriptFiles },
    timeout: env.settings.scriptTimeout,
    deadline: env.settings.scriptDeadline,
  })
  // An inline script changes only with its route; the classes that it imports may change at any time.
  if (file !== null || language === 'groovy') {
    const source = file ?? new InlineScript(first)
    await recompileOnChange({ source, env, compile, script, first: compiledScript, folder: classFolder })
  }
  return script
}

/** `secrets` without a provider; a property of that name is available as any other. */
function missingBindings({ secretsProvider }: ScriptConfig, { scope }: Environment): ReadonlyMap<string, string> {
  const isMissing = secretsProvider === undefined && scope.lookup('secrets') === undefined
  return new Map(isMissing ? [['secrets', NO_SECRETS_PROVIDER]] : [])
}

/** The response for an upstream failure, which is logged. */
function loggedFailure(error: unknown, exchange: Exchange, { logger }: Environment): Response | null {
  if (!(error instanceof UpstreamError && error.isOutcome)) return null
  logFailure(error, exchange.ids, logger)
  return failureResponse(error)
}

/** A script in the configuration, with the interface of a file that never changes. */
class InlineScript {
  readonly #text: ScriptText

  constructor(text: ScriptText) {
    this.#text = text
  }

  async read(): Promise<ScriptText> {
    return this.#text
  }

  async hasChanged(): Promise<boolean> {
    return false
  }

  async directory(): Promise<string | null> {
    return null
  }
}

function inline({ source = '' }: ScriptConfig, env: Environment): ScriptText {
  const text = typeof source === 'string' ? source : source.join('\n')
  return { name: `source of ${env.localName}`, text, problem: null }
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

/** Whether scripts have a property of the configuration under this name; `env` and `system` are not among them. */
function isProperty(name: string, { scope }: Environment): boolean {
  return name !== 'env' && name !== 'system' && (scope.lookup(name) ?? null) !== null
}

/** Reports a name that is missing when the script runs: the route loads, since the code that uses it may never run. */
function warnOfName(found: ScriptProblem, { file, source }: ScriptConfig, env: Environment): void {
  if (file !== undefined) env.warn(formatProblem(found), '/file')
  else env.warn(inSource(found), pointerInSource(found, source))
}

function problemInSource(found: ScriptProblem, source: ScriptConfig['source']): Problem {
  return { pointer: pointerInSource(found, source), message: `the script can not be compiled: ${inSource(found)}` }
}

/** Points at the element of `source` where it is an array of lines. */
function pointerInSource({ location }: ScriptProblem, source: ScriptConfig['source']): string {
  const isLine = location !== null && typeof source === 'object' && location.line <= source.length
  return isLine ? `/source/${location.line - 1}` : '/source'
}

function inSource({ location, problem }: ScriptProblem): string {
  return location === null ? problem : `line ${location.line}, column ${location.column}: ${problem}`
}

interface WatchSettings {
  readonly source: ScriptFile | InlineScript
  readonly env: Environment
  readonly compile: (text: ScriptText) => Promise<Script>
  readonly script: ObjectScript
  readonly first: Script
  /** Watched where the script is inline. */
  readonly folder: string
}

/** Compiles the script again when its file or an imported class changes. The last good script stays in use where that fails. */
async function recompileOnChange({ source, env, compile, script, first, folder }: WatchSettings): Promise<void> {
  let lastProblem = ''
  let used = first
  const check = async (): Promise<void> => {
    try {
      if (!(await source.hasChanged()) && !(await used.hasChanged())) return
      const text = await source.read()
      used = await compile(text)
      script.replace(used)
      lastProblem = ''
      env.logger.info({ file: text.name }, 'script reloaded')
    } catch (error) {
      const { message } = error as Error
      if (message === lastProblem) return
      lastProblem = message
      env.logger.error({ problem: message }, EVENTS.SCRIPT_NOT_RELOADED)
    }
  }
  const watch = new DirectoryWatch({ directory: (await source.directory()) ?? folder, executor: timers, check })
  env.onReload(() => void watch.check())
  env.onDispose(() => watch.stop())
}

/** Timers of the watch; they do not keep the process alive. */
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
