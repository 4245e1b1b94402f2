import { pathToFileURL } from 'node:url'
import { baseScope } from '#expression'
import { Properties } from '#heap'
import type { Logger } from '#logging'
import type { Clock, Directories } from '#schema'

type Variables = Readonly<Record<string, string | undefined>>

/** Properties that every document starts from: environment variables and what the gateway provides (field-notes 1.6). */
export function rootProperties(
  directories: Directories,
  mode: string,
  env: Variables,
  clock: Clock,
  logger: Logger,
): Properties {
  const provided: Readonly<Record<string, string>> = {
    'instance.dir': directories.instance,
    'instance.url': pathToFileURL(directories.instance).href,
    'run.mode': mode,
  }
  const scope = baseScope({
    env,
    system: {},
    now: () => clock.now(),
    gateway: {
      instanceDirectory: directories.instance,
      configDirectory: directories.config,
      temporaryDirectory: directories.temporary,
    },
    warn: (message) => logger.warn(message),
  })
  return Properties.root(scope, (token) => {
    const variable = env[token.toUpperCase().replaceAll('.', '_').replaceAll('-', '_')]
    if (variable !== undefined) return variable
    // `ig.` is what files of the gateway's relatives say (decisions 1).
    const own = /^(?:gateway|ig)\.(.+)$/.exec(token)?.[1]
    return own !== undefined && Object.hasOwn(provided, own) ? provided[own] : undefined
  })
}
