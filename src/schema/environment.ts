import type { Scope } from '#expression'
import type { Handler } from '#http'
import type { Logger } from '#logging'
import type { AuditOutlet, AuditPlan } from './audit-outlet.ts'
import type { GatewaySettings } from './gateway-settings.ts'
import type { SecretsProvider } from './secret-lookup.ts'
import type { SharedStore } from './shared-store.ts'

/** Time as objects see it; tests move it by hand. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds that only go forward, whatever happens to the wall clock; the same in all units. */
  monotonic(): number
}

/** A number that is counted up. */
export interface Counter {
  add(amount?: number): void
}

/** A number that goes up and down. */
export interface Gauge {
  set(value: number): void
  add(amount: number): void
}

/** Observations of which sums and quantiles are wanted. */
export interface Summary {
  observe(value: number): void
}

/** A number that is read when metrics are collected. */
export interface Reading {
  readonly labels?: Readonly<Record<string, string>>
  read(): number
  /** `max` for a number that all units share; others are added up. */
  readonly merge?: 'max'
}

/** Metrics of an object. Labels are fixed at load: no data of a request may become one. */
export interface Metrics {
  counter(name: string, help: string, labels?: Readonly<Record<string, string>>): Counter
  gauge(name: string, help: string, labels?: Readonly<Record<string, string>>): Gauge
  summary(name: string, help: string, labels?: Readonly<Record<string, string>>): Summary
  /** A gauge that is read when metrics are collected. */
  reading(name: string, help: string, reading: Reading): void
}

/** The folders of an instance. */
export interface Directories {
  readonly instance: string
  readonly config: string
  readonly scripts: string
  readonly secrets: string
  readonly temporary: string
}

/** Whether routes are tried by their names or by those of their files. */
export type RouteOrder = 'name' | 'file'

/** Settings of a Router. */
export interface RouterSettings {
  /** The heap name of the router, for the management API and metrics. */
  readonly name: string
  readonly directory: string
  /** Milliseconds; 0 = start-up and SIGHUP only. */
  readonly scanInterval: number
  readonly order: RouteOrder
  readonly defaultHandler: Handler | null
}

/** Opens routers; only Router uses it. */
export interface RouterHost {
  /** Loads the routes of a directory and gives the handler that dispatches to them. */
  openRouter(settings: RouterSettings, env: Environment): Promise<Handler>
}

/** The connectors that this gateway takes traffic on. */
export interface OwnListeners {
  /** Whether a connection to this address leads to one of them. */
  includes(address: string, port: number): boolean
  /** The same for the host of a URI, as far as known without DNS. */
  named(host: string, port: number): boolean
}

/** State of an object: a `degraded` one serves with limits and tries to recover. */
export type ObjectState = 'starting' | 'up' | 'degraded'

/** Everything an object can use beside its configuration. */
export interface Environment {
  /** Heap path joined with `+`, such as `gateway+_router+my-route+my-filter`. */
  readonly name: string
  /** The object's own name in its heap. */
  readonly localName: string
  readonly logger: Logger
  readonly clock: Clock
  readonly metrics: Metrics
  readonly directories: Directories
  /** Properties, environment variables and so on, as configuration expressions see them. */
  readonly scope: Scope
  /** How many units share the work of this gateway. */
  readonly units: number
  /** Settings of admin.json. */
  readonly settings: GatewaySettings
  /** Environment variables of the process. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Where requests must not be sent, since they would come back. */
  readonly ownListeners: OwnListeners
  /** False where a configuration is only checked: then nothing is connected to by itself. */
  readonly serving: boolean
  readonly router: RouterHost
  /** What the `secrets` of the document and of its parents hold: asked after the provider in an object's own config. */
  readonly secrets: SecretsProvider
  /** Memory that the same object of the same route revision shares over all units. */
  shared(name: string, bytes: number): Promise<SharedArrayBuffer>
  /** A store that all units see alike and that survives a new version of the route; the space keeps keys apart. */
  sharedStore(space: string): SharedStore
  /** Opens the event handlers of an audit service. Throws ConfigError where another service uses one of their files. */
  openAudit(plan: AuditPlan): Promise<AuditOutlet>
  /** Called on reload (SIGHUP). */
  onReload(refresh: () => void): void
  /** Called when the object is retired, in reverse order of registration. */
  onDispose(release: () => void | Promise<void>): void
  /**
   * Reports the object's state, for the health endpoints and the state of its route. The detail is public:
   * no address and no secret in it.
   */
  reportState(state: ObjectState, detail: string): void
  /** Adds a warning for the author of the configuration. */
  warn(message: string): void
}
