import type { JsonObject } from '#json'
import { call, notice } from '#rpc'
import type { ObjectOperation, ObjectResult } from '#schema'
import type { RequestWatch } from './live-requests.ts'
import type {
  ChangeProblems,
  CompletionMessage,
  CompletionResult,
  DrainMessage,
  EvaluationMessage,
  EvaluationResult,
  RouteChange,
  RouteMatch,
  SimulatedRequestMessage,
  UnitStart,
} from './messages.ts'
import type { MetricReport } from './metric-report.ts'

/** Milliseconds one route may take to build; for a route with a Router this includes all routes of that router. */
export const ROUTE_BUILD_LIMIT = 2 * 60_000

/** Calls from the control plane to a unit. A new message is one line here and one handler in `src/unit/worker.ts`. */
export const UNIT_CALLS = {
  /** Builds the unit; returns when it serves or has failed. `standby`: it serves when `listen` is called. */
  start: call<{ readonly standby: boolean }, UnitStart>(15 * 60_000),
  /** Opens the ports of a unit that was built aside. */
  listen: call<void, UnitStart>(30_000),
  /** First phase of a deploy: builds the changes and returns their problems. Discarded on cancellation. */
  prepare: call<
    { readonly deploy: number; readonly directory: string; readonly changes: readonly RouteChange[] },
    readonly ChangeProblems[]
  >(ROUTE_BUILD_LIMIT),
  /** Second phase: swaps the given changes in, and discards the others. */
  commit: call<{ readonly deploy: number; readonly changes: readonly number[] }, void>(10_000),
  /** Reads cached files again: keystores, secrets. */
  reload: notice<void>(),
  /** Publishes an event of the control plane through the audit service of config.json. */
  publishAudit: notice<{ readonly topic: string; readonly event: JsonObject }>(),
  /** Metrics of the unit; `after` is the last series the caller has. */
  collect: call<{ readonly after: number }, MetricReport>(2_000),
  /** The watches on requests; repeated every second while there is one. */
  watchRequests: notice<readonly RequestWatch[]>(),
  /** The next request with this token is traced. */
  armTrace: call<{ readonly token: string }, void>(2_000),
  /** The trace of a request of the live requests, as JSON; null where the unit has none with this id. */
  readTrace: call<{ readonly id: string }, string | null>(2_000),
  disarmTrace: notice<{ readonly token: string }>(),
  /** The route that matches a request, or the reason why the listener would reject it. */
  matchRoutes: call<
    { readonly router: string; readonly request: SimulatedRequestMessage },
    RouteMatch | { readonly refused: { readonly status: number; readonly reason: string } }
  >(5_000),
  /** Evaluates an expression for a simulated request. */
  evaluate: call<EvaluationMessage, EvaluationResult>(5_000),
  /** Names that fit in a place of an expression. */
  complete: call<CompletionMessage, CompletionResult>(5_000),
  /** An operation on the resources of an object, by its qualified name; null where no object serves the endpoint. */
  objectEndpoint: call<
    { readonly object: string; readonly endpoint: string; readonly operation: ObjectOperation },
    ObjectResult | null
  >(30_000),
  /** Closes the listening sockets, when what they have queued is accepted; other units have the same ports. */
  stopAccepting: call<void, void>(10_000),
  /** Closes the listeners and waits for requests within the grace periods; returns the number of aborted ones. */
  drain: call<DrainMessage, { readonly aborted: number }>(10_000),
  /** Disposes all objects of a drained unit; its thread then ends. */
  close: call<void, void>(10_000),
}
