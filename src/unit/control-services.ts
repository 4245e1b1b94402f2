import type { ObjectStatus, RouteFailure, RouterOpening, RouteSource, RouteWarnings } from '#contracts'
import type { AuditOutlet, AuditPlan, OpenedUpstream, PermitStore, SharedStore, UpstreamPlan } from '#schema'

/** Services of the control plane for a unit. CLI commands that serve no traffic implement them with the route files alone. */
export interface ControlServices {
  /** Resolves to the deployed routes of the router's folder. */
  openRouter(router: RouterOpening): Promise<readonly RouteSource[]>
  /** The router has built its routes, except the failed ones. */
  routerOpened(directory: string, failures: readonly RouteFailure[]): void
  closeRouter(directory: string): void
  /** Reports the warnings of a route that now serves. */
  routeWarnings(warnings: RouteWarnings): void
  /** Reports the state of an object; absent without traffic. */
  objectStatus?(status: ObjectStatus): void
  /** Opens the event handlers of an audit service; absent where events are discarded. */
  openAudit?(plan: AuditPlan): Promise<AuditOutlet>
  /** Limits the connections of all units; absent without traffic. */
  readonly connectionPermits?: PermitStore
  /** Opens the servers of an upstream service; absent without traffic. */
  openUpstream?(plan: UpstreamPlan): Promise<OpenedUpstream>
  /** A key-value store shared by all units. */
  sharedStore(space: string): SharedStore
  /** Memory that all units share under a key. */
  share(key: string, bytes: number): Promise<{ readonly memory: SharedArrayBuffer; release(): void }>
}
