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
  return new ObjectEnvironment(unitContext, place)
}

/** A class, since accessors of a literal are defined again for each of the objects of ten thousand routes. */
class ObjectEnvironment implements Environment {
  readonly name: string
  readonly localName: string
  readonly clock: Environment['clock']
  readonly directories: Environment['directories']
  readonly scope: Scope
  readonly units: number
  readonly settings: Environment['settings']
  readonly variables: Environment['variables']
  readonly ownListeners: OwnListeners
  readonly connectionPermits: Environment['connectionPermits']
  readonly serving: boolean
  readonly router: RouterHost
  readonly #unit: UnitServices
  readonly #place: Place
  // Created on first use: most objects of ten thousand routes have neither log entries nor metrics.
  #logger: Logger | null = null
  #metrics: Metrics | null = null
  #states: StateReporter | null = null

  constructor(unit: UnitServices, place: Place) {
    this.#unit = unit
    this.#place = place
    this.name = place.qualified
    this.localName = place.name
    this.clock = unit.clock
    this.directories = unit.directories
    this.scope = place.scope
    this.units = unit.units
    this.settings = unit.settings
    this.variables = unit.variables
    this.ownListeners = unit.ownListeners ?? NO_LISTENERS
    this.connectionPermits = unit.connectionPermits ?? null
    this.serving = unit.serving ?? true
    this.router = place.router
  }

  get logger(): Logger {
    this.#logger ??= this.#unit.logger.child({ logger: this.name })
    return this.#logger
  }

  get metrics(): Metrics {
    if (this.#metrics === null) {
      const holder = this.#unit.metrics(this.name)
      this.#place.releases.defer(() => holder.release())
      this.#metrics = holder
    }
    return this.#metrics
  }

  readonly shared: Environment['shared'] = async (name, bytes) => {
    const { memory, release } = await this.#unit.shared(`${this.#place.sharedKey}/${name}`, bytes)
    this.#place.releases.defer(release)
    return memory
  }

  readonly sharedStore: Environment['sharedStore'] = (space) => jsonStore(this.#unit.sharedStore(space))

  readonly openAudit: Environment['openAudit'] = async (plan) => {
    const { segments, revision, releases } = this.#place
    const outlet = await this.#unit.openAudit?.({ ...plan, document: { name: segments.join('+'), revision } })
    if (outlet !== undefined) releases.defer(() => outlet.close())
    return outlet ?? DISCARDING_OUTLET
  }

  readonly openUpstream: Environment['openUpstream'] = async (plan) => {
    const opened = (await this.#unit.openUpstream?.({ ...plan, service: this.name })) ?? null
    if (opened !== null) this.#place.releases.defer(() => opened.release())
    return opened
  }

  readonly serveEndpoint: Environment['serveEndpoint'] = (endpoint, collection) => {
    const stop = this.#unit.serveEndpoint?.(this.name, endpoint, collection)
    if (stop !== undefined) this.#place.releases.defer(stop)
  }

  readonly onReload: Environment['onReload'] = (refresh) => {
    const stop = this.#unit.onReload?.(refresh)
    if (stop !== undefined) this.#place.releases.defer(stop)
  }

  readonly onDispose: Environment['onDispose'] = (release) => this.#place.releases.defer(release)

  readonly reportState: Environment['reportState'] = (state, detail) => {
    if (this.#states === null && this.#unit.stateReporter !== undefined) {
      const reporter = this.#unit.stateReporter()
      this.#place.releases.defer(() => reporter.withdraw())
      this.#states = reporter
    }
    this.#states?.report({ object: this.name, segments: this.#place.segments, state, detail })
  }

  readonly warn: Environment['warn'] = (message, field) => this.#place.warn(message, field)
}
