import type { Scope } from '#expression'
import type { Logger } from '#logging'
import { DISCARDING_OUTLET, type Environment, type Metrics, type OwnListeners, type RouterHost } from '#schema'
import { jsonStore } from './json-store.ts'
import type { Releases } from './releases.ts'
import type { StateReporter, UnitServices } from './unit-services.ts'

/** Location of an object. */
interface Place {
  readonly name: string
  readonly qualified: string
  /** The name of the heap in parts. */
  readonly segments: readonly string[]
  /** Of the document of the heap. */
  readonly revision: string
  readonly scope: Scope
  readonly sharedKey: string
  readonly releases: Releases
  readonly router: RouterHost
  warn(message: string, field?: string): void
}

const NO_LISTENERS: OwnListeners = { includes: () => false, named: () => false }

/** The environment for `create` of one object. */
export function objectEnvironment(unitContext: UnitServices, place: Place): Environment {
  // Created on first use: most objects of ten thousand routes have neither log entries nor metrics.
  let logger: Logger | null = null
  let metrics: Metrics | null = null
  let states: StateReporter | null = null
  return {
    name: place.qualified,
    localName: place.name,
    get logger() {
      logger ??= unitContext.logger.child({ logger: place.qualified })
      return logger
    },
    clock: unitContext.clock,
    get metrics() {
      if (metrics === null) {
        const holder = unitContext.metrics(place.qualified)
        place.releases.defer(() => holder.release())
        metrics = holder
      }
      return metrics
    },
    directories: unitContext.directories,
    scope: place.scope,
    units: unitContext.units,
    settings: unitContext.settings,
    variables: unitContext.variables,
    ownListeners: unitContext.ownListeners ?? NO_LISTENERS,
    connectionPermits: unitContext.connectionPermits ?? null,
    serving: unitContext.serving ?? true,
    router: place.router,
    shared: async (name, bytes) => {
      const { memory, release } = await unitContext.shared(`${place.sharedKey}/${name}`, bytes)
      place.releases.defer(release)
      return memory
    },
    sharedStore: (space) => jsonStore(unitContext.sharedStore(space)),
    openAudit: async (plan) => {
      const document = { name: place.segments.join('+'), revision: place.revision }
      const outlet = await unitContext.openAudit?.({ ...plan, document })
      if (outlet !== undefined) place.releases.defer(() => outlet.close())
      return outlet ?? DISCARDING_OUTLET
    },
    serveEndpoint: (endpoint, collection) => {
      const stop = unitContext.serveEndpoint?.(place.qualified, endpoint, collection)
      if (stop !== undefined) place.releases.defer(stop)
    },
    onReload: (refresh) => {
      const stop = unitContext.onReload?.(refresh)
      if (stop !== undefined) place.releases.defer(stop)
    },
    onDispose: (release) => {
      place.releases.defer(release)
    },
    reportState: (state, detail) => {
      if (states === null && unitContext.stateReporter !== undefined) {
        const reporter = unitContext.stateReporter()
        place.releases.defer(() => reporter.withdraw())
        states = reporter
      }
      states?.report({ object: place.qualified, segments: place.segments, state, detail })
    },
    warn: (message, field) => place.warn(message, field),
  }
}
