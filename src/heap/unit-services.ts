import type { Logger } from '#logging'
import type {
  AuditOutlet,
  AuditPlan,
  Clock,
  Directories,
  GatewaySettings,
  Metrics,
  ObjectEndpoint,
  ObjectState,
  OpenedUpstream,
  OwnListeners,
  PermitStore,
  SharedStore,
  UpstreamPlan,
} from '#schema'
import type { Catalogue } from './catalogue.ts'

/** State of one object of a heap. */
interface ObjectReport {
  /** Qualified name of the object. */
  readonly object: string
  /** The name of its heap in parts: that of a route ends with the id of the route. */
  readonly segments: readonly string[]
  /** Set by the router of the route that the object belongs to. */
  readonly route?: { readonly directory: string; readonly id: string }
  readonly state: ObjectState
  readonly detail: string
}

/** Receives the states of one object until it is retired. */
export interface StateReporter {
  report(report: ObjectReport): void
  withdraw(): void
}

/** Services that all heaps of a gateway unit offer to their objects. */
export interface UnitServices {
  readonly catalogue: Catalogue
  readonly logger: Logger
  readonly clock: Clock
  readonly directories: Directories
  readonly units: number
  /** Settings of admin.json. */
  readonly settings: GatewaySettings
  /** Environment variables of the process. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The connectors of this gateway; none by default. */
  readonly ownListeners?: OwnListeners
  /** Limits the connections of all units; those of this thread alone by default. */
  readonly connectionPermits?: PermitStore
  /** False where the configuration is only checked. */
  readonly serving?: boolean
  /** Whether a check of the configuration also looks up the secrets that objects name. */
  readonly secretsLookedUp?: boolean
  /** Whether a check runs where the secrets are not: objects that can not be created without them are replaced. */
  readonly secretsAbsent?: boolean
  /** Metrics of one object, by its qualified name. */
  metrics(name: string): Metrics & { release(): void }
  /** Where an object reports its state; not reported by default. */
  stateReporter?(): StateReporter
  /** Serves a collection of an object, by its qualified name; returns the function that ends it. Not served by default. */
  serveEndpoint?(object: string, endpoint: string, collection: ObjectEndpoint): () => void
  /** Registers a callback for reloads (SIGHUP); returns the function that removes it. */
  onReload?(refresh: () => void): () => void
  /** Opens the event handlers of an audit service; absent where events are discarded. */
  openAudit?(plan: AuditPlan): Promise<AuditOutlet>
  /** Opens the servers of an upstream service; absent where requests are not served. */
  openUpstream?(plan: UpstreamPlan): Promise<OpenedUpstream>
  /** A key-value store shared by all units; the space is a namespace. */
  sharedStore(space: string): SharedStore
  /** Memory shared over all units under a key, until it is released. */
  shared(key: string, bytes: number): Promise<{ readonly memory: SharedArrayBuffer; release(): void }>
}
