import type { CONTROL_CALLS, RouteFailure, RouteSource, ServedFolders, UnitSettings } from '#contracts'
import { JsonSyntaxError } from '#json'
import { createLogger } from '#logging'
import type { Handlers } from '#rpc'
import { ConfigError, type Problem } from '#schema'
import { configFile, readConfigFile } from './config-file.ts'
import { UnitLink, UnitStartError, type UnitThread } from './unit-link.ts'

/** The configuration of a trial. */
export interface TriedConfiguration {
  /** Text of config.json; null without one. */
  readonly config: string | null
  readonly folders: ServedFolders
}

/** The routes of a folder. */
export interface TriedRoutes {
  readonly sources: readonly RouteSource[]
  /** Of files that are no routes, or whose ids or names others have. */
  readonly problems: readonly (Problem & { readonly file: string })[]
}

/** A trial: the settings of a unit, with another configuration. */
export interface Trial {
  readonly settings: UnitSettings & TriedConfiguration
  readonly thread: Pick<UnitThread, 'entry' | 'env' | 'heartbeat' | 'ended'>
  /** Of calls that have nothing to do with routes. */
  handlers(unit: UnitLink): Handlers<typeof CONTROL_CALLS>
  routes(directory: string): TriedRoutes
}

/** A problem of config.json (`file` is null), or of a route file. */
interface TrialProblem extends Problem {
  readonly directory: string | null
  readonly file: string | null
}

/** Result of a trial. */
interface TrialOutcome {
  /** Whether a unit starts. */
  readonly starts: boolean
  readonly problems: readonly TrialProblem[]
}

/**
 * Starts a unit without ports on a configuration, with all of its routes, and ends it: whether units could serve that
 * configuration. It writes no log, and neither history nor audit have a trace of it.
 */
export async function tryUnit({ settings, thread, handlers, routes }: Trial): Promise<TrialOutcome> {
  const config = configProblems(settings.folders.config)
  if (config.length > 0) return { starts: false, problems: config }
  const problems: TrialProblem[] = []
  const folders = new Map<string, TriedRoutes>()
  const silent = { ...settings, connectors: [], logging: { ...settings.logging, level: 'silent' }, telemetry: null }
  const unit = new UnitLink(
    {
      ...thread,
      logger: createLogger({ level: 'silent' }),
      drained: async () => {},
      handlers: (link) => ({
        ...handlers(link),
        openRouter: ({ directory }) => {
          link.opens(directory)
          const known = folders.get(directory)
          if (known !== undefined) return known.sources
          const read = routes(directory)
          folders.set(directory, read)
          problems.push(...read.problems.map((problem) => ({ ...problem, directory })))
          return read.sources
        },
        routerOpened: ({ directory, failures }) =>
          void problems.push(...failed(directory, folders.get(directory)?.sources ?? [], failures)),
        closeRouter: ({ directory }) => link.closes(directory),
        routeWarnings: () => {},
        objectStatus: () => {},
      }),
    },
    silent,
  )
  try {
    await unit.started
    return { starts: true, problems }
  } catch (error) {
    const found = error instanceof UnitStartError && error.problems.length > 0 ? error.problems : [problemOf(error)]
    return {
      starts: false,
      problems: [...found.map((problem) => ({ ...problem, directory: null, file: null })), ...problems],
    }
  } finally {
    await unit.end()
  }
}

function configProblems(folder: string): TrialProblem[] {
  try {
    readConfigFile(configFile(folder))
    return []
  } catch (error) {
    const found = error instanceof ConfigError ? error.problems : [problemOf(error)]
    return found.map((problem) => ({ ...problem, directory: null, file: null }))
  }
}

function problemOf(error: unknown): Problem {
  const { message } = error as Error
  return { pointer: '', message: error instanceof JsonSyntaxError ? `not valid JSON: ${message}` : message }
}

function failed(directory: string, sources: readonly RouteSource[], failures: readonly RouteFailure[]): TrialProblem[] {
  return failures.flatMap(({ id, problems }) => {
    const file = sources.find((source) => source.id === id)?.file ?? `${id}.json`
    return problems.map((problem) => ({ ...problem, directory, file }))
  })
}
