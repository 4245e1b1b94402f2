import { statSync } from 'node:fs'
import { join } from 'node:path'
import { CATALOGUE } from '#catalogue'
import { type AdminSettings, type FileRelease, openAdminSettings, readConfigFile } from '#control'
import {
  type AdminInput,
  ExtensionError,
  type InstanceDirectories,
  instanceDirectories,
  instanceDirectory,
  loadExtensions,
  type SystemProperties,
  startProperties,
  stateDirectory,
} from '#instance'
import type { JsonDocument, JsonObject } from '#json'
import type { Logger } from '#logging'
import type { CatalogueType } from '#schema'
import { type Arguments, UnusableConfiguration, UsageError } from './arguments.ts'
import type { CommandOption } from './command-syntax.ts'
import { formatLocated, type LocatedProblem, locateProblems, problemsOf } from './problems.ts'
import type { ProcessContext } from './process-context.ts'
import { shellWord } from './shell-word.ts'

/** The option that names the instance. */
export const INSTANCE_OPTION: CommandOption = {
  name: 'instance',
  value: 'DIR',
  description: 'Instance directory. By default $GATEWAY_INSTANCE_DIR, otherwise ~/.gateway.',
}

/** The option that names the state directory. */
export const STATE_OPTION: CommandOption = {
  name: 'state',
  value: 'DIR',
  description:
    'State directory: history, logs, spool and temporary files are written to it, and nothing to the instance. By default $GATEWAY_STATE_DIR, otherwise the instance.',
}

/** The state directory of a command; null where files are written to the instance. */
export function chosenState(args: Arguments, { env }: ProcessContext): string | null {
  return stateDirectory(args.value(STATE_OPTION.name), env)
}

/** The option that defines a system property. */
export const DEFINE_OPTION: CommandOption = {
  name: 'define',
  short: 'D',
  value: 'NAME=VALUE',
  repeated: true,
  description: 'System property, system[...] in expressions and &{name} in tokens, as in -Dname=value.',
}

/** The system properties of a command. */
export function definedProperties(args: Arguments, { env }: ProcessContext): SystemProperties {
  const definitions = args.values(DEFINE_OPTION.name)
  const nameless = definitions.find((definition) => /^(?:=|$)/.test(definition))
  if (nameless !== undefined) throw new UsageError(`-D needs a name: -D${DEFINE_OPTION.value}`)
  return startProperties(definitions, env)
}

/** The instance of a command (its operand, or that of the option), and whether it was named explicitly. */
export function chosenInstance(
  args: Arguments,
  { env }: ProcessContext,
  operand?: string,
): { instance: string; origin: 'named' | 'default' } {
  const asked = operand ?? args.value('instance')
  const instance = instanceDirectory(asked, env)
  if (instance === null) {
    const how = 'name the instance with --instance DIR or GATEWAY_INSTANCE_DIR'
    throw new UsageError(`no home directory for ~/.gateway, since HOME is not set to an absolute path; ${how}`)
  }
  return { instance, origin: isNamed(asked, env) ? 'named' : 'default' }
}

/**
 * The instance of a command that can do without one: null without a home directory. Throws UnusableConfiguration for a
 * missing one that is named.
 */
export function instanceIfAny(args: Arguments, { env }: ProcessContext, operand?: string): string | null {
  const asked = operand ?? args.value('instance')
  const instance = instanceDirectory(asked, env)
  if (instance !== null && isNamed(asked, env)) requireInstance(instance)
  return instance
}

function isNamed(asked: string | undefined, env: ProcessContext['env']): boolean {
  return asked !== undefined || (env['GATEWAY_INSTANCE_DIR'] ?? '') !== ''
}

/** Throws UnusableConfiguration for a missing instance. */
export function requireInstance(instance: string): void {
  const missing = missingInstance(instance)
  if (missing !== null) throw new UnusableConfiguration(formatLocated(missing))
}

/**
 * The process with an environment that names this instance: the variable GATEWAY_INSTANCE_DIR has precedence as the token
 * `gateway.instance.dir`, and may name another one than the command.
 */
export function forInstance(context: ProcessContext, instance: string): ProcessContext {
  if (context.env['GATEWAY_INSTANCE_DIR'] === undefined) return context
  return { ...context, env: { ...context.env, GATEWAY_INSTANCE_DIR: instance } }
}

/** The problem of a missing instance directory, or of a file in its place; null for a directory. */
export function missingInstance(instance: string): LocatedProblem | null {
  const problem = (message: string) => ({ file: instance, pointer: '', message })
  try {
    if (statSync(instance).isDirectory()) return null
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOTDIR')
      return problem(
        code === 'ENOENT' ? `no such directory; create one with: gateway init ${shellWord(instance)}` : message,
      )
  }
  return problem('not a directory; name the directory of the instance, which has the folder config')
}

/** Settled admin.json, or all of its problems. */
type OpenedSettings =
  | { readonly settings: AdminSettings; readonly warnings: readonly LocatedProblem[] }
  | { readonly problems: readonly LocatedProblem[] }

/** Every object type of an instance: the built-in ones, then those of its `extra` folder. */
export async function instanceTypes({ extra }: InstanceDirectories): Promise<readonly CatalogueType[]> {
  return [...CATALOGUE, ...(await loadExtensions(extra, CATALOGUE))]
}

/** Why the types of an instance can not be loaded, with the module where there is one. */
export function extensionProblem(error: unknown, { extra }: InstanceDirectories): LocatedProblem {
  if (error instanceof ExtensionError) return { file: error.path, pointer: '', message: error.reason }
  return { file: extra, pointer: '', message: (error as Error).message }
}

/** Options for opening admin.json. */
export type SettingsOptions = Pick<
  AdminInput,
  'state' | 'serving' | 'secretsLookedUp' | 'secretsAbsent' | 'system' | 'openAudit'
> &
  FileRelease

/** Reads, decodes and settles admin.json. */
export async function openSettings(
  instance: string,
  logger: Logger,
  { env }: ProcessContext,
  options: SettingsOptions = {},
): Promise<OpenedSettings> {
  const directories = instanceDirectories(instance)
  const file = join(directories.config, 'admin.json')
  let types: readonly CatalogueType[]
  try {
    types = await instanceTypes(directories)
  } catch (error) {
    return { problems: [extensionProblem(error, directories)] }
  }
  let document: JsonDocument | null = null
  try {
    document = readConfigFile(file)
    const settings = await openAdminSettings(document.value as JsonObject, {
      instance,
      state: stateDirectory(undefined, env),
      types,
      env,
      logger,
      ...options,
    })
    return { settings, warnings: locateProblems(file, document, settings.warnings) }
  } catch (error) {
    return { problems: locateProblems(file, document, problemsOf(error)) }
  }
}
