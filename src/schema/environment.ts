import type { Scope } from '#expression'
import type { Handler } from '#http'
import type { Logger } from '#logging'
import type { AuditOutlet, AuditPlan } from './audit-outlet.ts'
import type { GatewaySettings } from './gateway-settings.ts'
import type { ObjectEndpoint } from './object-endpoint.ts'
import type { SharedStore } from './shared-store.ts'
import type { OpenedUpstream, UpstreamPlan } from './upstream-plan.ts'

/** Source of time; controlled by hand in tests. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds of a monotonic clock that is the same in all units. */
  monotonic(): number
}

export interface Counter {
  add(amount?: number): void
}

export interface Gauge {
  set(value: number): void
  add(amount: number): void
}

/** Observations, exposed as sum, count and quantiles. */
export interface Summary {
  observe(value: number): void
}

/** A gauge that is read when metrics are collected. */
export interface Reading {
  readonly labels?: Readonly<Record<string, string>>
  read(): number
  /** `max` for a value that all units share; others are summed. */
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
  /** Base of written files: the state directory where one is given, otherwise the instance. */
  readonly writable: string
  readonly logs: string
}

/** Whether routes are ordered by route name or file name. */
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
  /** Loads the routes of a directory and returns the handler that dispatches to them. */
  openRouter(settings: RouterSettings, env: Environment): Promise<Handler>
}

/** The listeners of this gateway, to prevent loops. */
export interface OwnListeners {
  /** Whether an address is that of a listener. */
  includes(address: string, port: number): boolean
  /** The same for the host of a URI, without DNS. */
  named(host: string, port: number): boolean
}

/** Memory of the permits to open connections to one server, which all units share. */
export interface PermitMemory {
  readonly memory: SharedArrayBuffer
  /** Number of units, and the number of this one, from 0. */
  readonly units: number
  readonly unit: number
  release(): void
}

/** Opens the permits of a key; they outlive route revisions. */
export interface PermitStore {
  open(key: string, permits: number): PermitMemory | Promise<PermitMemory>
}

/** State of an object: a `degraded` one serves with limits and tries to recover. */
export type ObjectState = 'starting' | 'up' | 'degraded'

/** Services of an object besides its configuration. */
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
  /** Number of units of this gateway. */
  readonly units: number
  /** Settings of admin.json. */
  readonly settings: GatewaySettings
  /** Environment variables of the process. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Requests must not be sent there: they would loop. */
  readonly ownListeners: OwnListeners
  /** Limits the connections of all units; null for limits of this thread alone. */
  readonly connectionPermits: PermitStore | null
  /** False where a configuration is only validated: no connection is opened without a request then. */
  readonly serving: boolean
  readonly router: RouterHost
  /** Memory shared by this object of this route revision in all units. */
  shared(name: string, bytes: number): Promise<SharedArrayBuffer>
  /** A store shared by all units that outlives the route revision; `space` is a namespace of keys. */
  sharedStore(space: string): SharedStore
  /** Opens the event handlers of an audit service. Throws ConfigError where another service uses one of their files. */
  openAudit(plan: AuditPlan): Promise<AuditOutlet>
  /** Opens the servers of an upstream service on the control thread; null where requests are not served. */
  openUpstream(plan: Omit<UpstreamPlan, 'service'>): Promise<OpenedUpstream | null>
  /** Serves a collection of the object in the management API, at `objects/<name of the object>/<endpoint>`. */
  serveEndpoint(endpoint: string, collection: ObjectEndpoint): void
  /** Called on reload (SIGHUP). */
  onReload(refresh: () => void): void
  /** Called when the object is disposed, in reverse order of registration. */
  onDispose(release: () => void | Promise<void>): void
  /**
   * Reports the object's state, for the health endpoints and the state of its route. The detail is public:
   * no address and no secret in it.
   */
  reportState(state: ObjectState, detail: string): void
  /** Adds a warning for the author of the configuration; `field` is a pointer in `config`, without it the object's is used. */
  warn(message: string, field?: string): void
}
