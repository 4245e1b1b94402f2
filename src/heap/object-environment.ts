import type { Scope } from '#expression'
import type { Logger } from '#logging'
import type { Environment, Metrics } from '#schema'
import type { World } from './world.ts'

/** Where one object stands. */
interface Place {
  readonly name: string
  readonly qualified: string
  readonly scope: Scope
  readonly sharedKey: string
  readonly resources: AsyncDisposableStack
  warn(message: string): void
}

/** The environment handed to the `create` of one object. */
export function objectEnvironment(world: World, place: Place): Environment {
  // Most objects of ten thousand routes never log nor count: what costs something is made when it is asked for.
  let logger: Logger | null = null
  let metrics: Metrics | null = null
  return {
    name: place.qualified,
    localName: place.name,
    get logger() {
      logger ??= world.logger.child({ logger: place.qualified })
      return logger
    },
    clock: world.clock,
    get metrics() {
      metrics ??= world.metrics(place.qualified)
      return metrics
    },
    directories: world.directories,
    scope: place.scope,
    units: world.units,
    transactionIdHeader: world.transactionIdHeader,
    router: world.router,
    shared: (name, bytes) => world.shared(`${place.sharedKey}/${name}`, bytes),
    onDispose: (release) => {
      place.resources.defer(release)
    },
    warn: (message) => place.warn(message),
  }
}
