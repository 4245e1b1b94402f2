import { Instant } from './instant.ts'
import type { Scope } from './scope.ts'

/** Values of the predefined names. */
interface BaseScopeOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly system: Readonly<Record<string, string | undefined>>
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number
  readonly gateway: {
    readonly instanceDirectory: string
    readonly configDirectory: string
    readonly temporaryDirectory: string
  }
  readonly warn?: (message: string) => void
}

/** The predefined names; `openig` is the old name of `gateway`. */
const NAMES = ['env', 'system', 'now', 'gateway', 'openig'] as const

/** Binds the predefined names. */
export function baseScope(options: BaseScopeOptions): Scope {
  const { instanceDirectory, configDirectory, temporaryDirectory } = options.gateway
  const gateway = Object.freeze({
    instanceDirectory,
    configDirectory,
    temporaryDirectory,
    baseDirectory: instanceDirectory,
    tempDirectory: temporaryDirectory,
  })
  const env = snapshot(options.env)
  const system = snapshot(options.system)
  const lookup = (name: string): unknown => {
    const predefined = name as (typeof NAMES)[number]
    switch (predefined) {
      case 'env':
        return env
      case 'system':
        return system
      case 'now':
        return new Instant(options.now())
      case 'gateway':
      case 'openig':
        return gateway
      default:
        predefined satisfies never
        return undefined
    }
  }
  const names = () => NAMES
  return options.warn === undefined ? { lookup, names } : { lookup, names, warn: options.warn }
}

/** A copy, since `process.env` is no plain object and must not be written by an expression. */
function snapshot(variables: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const entries = Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.freeze(Object.fromEntries(entries))
}
