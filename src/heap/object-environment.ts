import type { Scope } from '#expression'
import type { Logger } from '#logging'
import type { Environment, Metrics, OwnListeners, RouterHost, SecretsProvider } from '#schema'
import { jsonStore } from './json-store.ts'
import type { StateReporter, World } from './world.ts'

/** Where one object stands. */
interface Place {
  readonly name: string
  readonly qualified: string
  /** The name of the heap in parts. */
  readonly segments: readonly string[]
  readonly scope: Scope
  readonly sharedKey: string
  readonly resources: AsyncDisposableStack
  readonly router: RouterHost
  secrets(): SecretsProvider
  warn(message: string): void
}

const NO_LISTENERS: OwnListeners = { includes: () => false, named: () => false }

/** The environment handed to the `create` of one object. */
export function objectEnvironment(world: World, place: Place): Environment {
  // Most objects of ten thousand routes never log nor count: what costs something is made when it is asked for.
  let logger: Logger | null = null
  let metrics: Metrics | null = null
  let secrets: SecretsProvider | null = null
  let states: StateReporter | null = null
  return {
    name: place.qualified,
    localName: place.name,
    get logger() {
      logger ??= world.logger.child({ logger: place.qualified })
      return logger
    },
    clock: world.clock,
    get metrics() {
      if (metrics === null) {
        const holder = world.metrics(place.qualified)
        place.resources.defer(() => holder.release())
        metrics = holder
      }
      return metrics
    },
    directories: world.directories,
    scope: place.scope,
    units: world.units,
    settings: world.settings,
    variables: world.variables,
    ownListeners: world.ownListeners ?? NO_LISTENERS,
    serving: world.serving ?? true,
    router: place.router,
    get secrets() {
      secrets ??= place.secrets()
      return secrets
    },
    shared: async (name, bytes) => {
      const { memory, release } = await world.shared(`${place.sharedKey}/${name}`, bytes)
      place.resources.defer(release)
      return memory
    },
    sharedStore: (space) => jsonStore(world.sharedStore(space)),
    onReload: (refresh) => {
      const stop = world.onReload?.(refresh)
      if (stop !== undefined) place.resources.defer(stop)
    },
    onDispose: (release) => {
      place.resources.defer(release)
    },
    reportState: (state, detail) => {
      if (states === null && world.stateReporter !== undefined) {
        const reporter = world.stateReporter()
        place.resources.defer(() => reporter.withdraw())
        states = reporter
      }
      states?.report({ object: place.qualified, segments: place.segments, state, detail })
    },
    warn: (message) => place.warn(message),
  }
}
