import type { ObjectStatus, RouteFailure, RouterOpening, RouteSource, RouteWarnings } from '#contracts'
import type { SharedStore } from '#schema'

/** Where a unit gets its routes from: the control plane, or the files themselves for commands that serve nothing. */
export interface RouteFeed {
  /** The routes of a folder as they are deployed now. */
  open(router: RouterOpening): Promise<readonly RouteSource[]>
  /** The router has built its routes, except the failed ones. */
  opened(directory: string, failures: readonly RouteFailure[]): void
  close(directory: string): void
  /** A route that is served from now on has warnings. */
  warned(warnings: RouteWarnings): void
  /** Reports the state of an object; absent where nothing is served. */
  reported?(status: ObjectStatus): void
  /** A key-value store that every unit sees. */
  sharedStore(space: string): SharedStore
  /** Memory that every unit sees under a key. */
  share(key: string, bytes: number): Promise<{ readonly memory: SharedArrayBuffer; release(): void }>
}
