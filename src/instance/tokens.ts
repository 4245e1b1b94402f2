import { pathToFileURL } from 'node:url'
import { baseScope } from '#expression'
import { Properties } from '#heap'
import type { Logger } from '#logging'
import type { Clock, Directories } from '#schema'
import { configWarning } from '#schema'
import { platformProperties } from './platform-properties.ts'
import type { SystemProperties } from './system-properties.ts'

/** The mode of the environment, where admin.json has none. */
export function runMode(env: Variables, system: SystemProperties): 'PRODUCTION' | 'DEVELOPMENT' {
  const wanted = env['GATEWAY_RUN_MODE'] ?? system['gateway.run.mode'] ?? system['ig.run.mode'] ?? ''
  return wanted.toUpperCase() === 'DEVELOPMENT' ? 'DEVELOPMENT' : 'PRODUCTION'
}

type Variables = Readonly<Record<string, string | undefined>>

/** Sources of the properties of an instance. */
interface PropertySources {
  readonly directories: Directories
  readonly mode: string
  readonly env: Variables
  readonly system?: SystemProperties
  /** Properties of the platform, which those of the process override. */
  readonly platform?: SystemProperties
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Properties that every document inherits: environment variables, system properties and those of the gateway
 * (field-notes 1.6).
 */
export function rootProperties(sources: PropertySources): Properties {
  const { directories, mode, env, system = {}, platform = platformProperties(), clock, logger } = sources
  const provided: Readonly<Record<string, string>> = {
    'instance.dir': directories.instance,
    'instance.url': pathToFileURL(directories.instance).href,
    'run.mode': mode,
  }
  const scope = baseScope({
    env,
    // The names by which OpenIG and IG know their folder.
    system: { ...platform, 'openig.base': directories.instance, 'ig.instance.dir': directories.instance, ...system },
    now: () => clock.now(),
    gateway: {
      instanceDirectory: directories.instance,
      configDirectory: directories.config,
      temporaryDirectory: directories.temporary,
    },
    warn: (message) => logger.warn(configWarning(message)),
  })
  return Properties.root(scope, (token) => {
    const variable = env[token.toUpperCase().replaceAll('.', '_').replaceAll('-', '_')]
    if (variable !== undefined) return variable
    if (Object.hasOwn(system, token)) return system[token]
    // `ig.` is the prefix of PingGateway (decisions 1).
    const own = /^(?:gateway|ig)\.(.+)$/.exec(token)?.[1]
    if (own !== undefined && Object.hasOwn(provided, own)) return provided[own]
    return Object.hasOwn(platform, token) ? platform[token] : undefined
  })
}
