import { call, notice } from '#rpc'
import type { KeptRecord } from '#schema'
import type {
  ObjectStatus,
  OpeningRouter,
  RecordRequest,
  RouteFailure,
  RouteSource,
  RouteWarnings,
} from './messages.ts'

/** What a unit asks of the control plane. A new message is one line here and one handler in `src/control/gateway.ts`. */
export const CONTROL_CALLS = {
  /** The routes of a folder as they are deployed now. Waits for the deploy that is in progress. */
  openRouter: call<OpeningRouter, readonly RouteSource[]>(10 * 60_000),
  /** The router has built what it could. */
  routerOpened: notice<{ readonly directory: string; readonly failures: readonly RouteFailure[] }>(),
  closeRouter: notice<{ readonly directory: string }>(),
  /** A route that is served from now on has warnings. */
  routeWarnings: notice<RouteWarnings>(),
  objectStatus: notice<ObjectStatus>(),
  /** Memory that every unit sees under a key. */
  share: call<{ readonly key: string; readonly bytes: number }, SharedArrayBuffer>(30_000),
  unshare: notice<{ readonly key: string }>(),
  /** One step on a record that every unit sees: sessions among others, for which requests wait. */
  record: call<RecordRequest, KeptRecord | null>(5_000),
}
