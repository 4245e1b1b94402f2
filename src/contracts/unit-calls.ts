import { call, notice } from '#rpc'
import type { ChangeProblems, RouteChange, RouteMatch, SimulatedRequestMessage, UnitStart } from './messages.ts'
import type { MetricReport } from './metric-report.ts'

/** Milliseconds one route may take to build; one that holds a Router builds all of that router's routes in it. */
export const ROUTE_BUILD_LIMIT = 2 * 60_000

/** What the control plane asks of a unit. A new message is one line here and one handler in `src/unit/worker.ts`. */
export const UNIT_CALLS = {
  /** Opens everything; answered when the unit serves, or can not. */
  start: call<void, UnitStart>(15 * 60_000),
  /** First phase of a deploy: builds the changes aside and says what can not be built. Cancelled, they are discarded. */
  prepare: call<
    { readonly deploy: number; readonly directory: string; readonly changes: readonly RouteChange[] },
    readonly ChangeProblems[]
  >(ROUTE_BUILD_LIMIT),
  /** Second phase: swaps the given changes in, and throws the others away. */
  commit: call<{ readonly deploy: number; readonly changes: readonly number[] }, void>(10_000),
  /** Reads files again that are read once and kept: keystores, secrets. */
  reload: notice<void>(),
  /** What the unit has measured; `after` is the last series that is known of it. */
  collect: call<{ readonly after: number }, MetricReport>(2_000),
  /** Which route takes a request, or why the listener would refuse it. */
  matchRoutes: call<
    { readonly router: string; readonly request: SimulatedRequestMessage },
    RouteMatch | { readonly refused: { readonly status: number; readonly reason: string } }
  >(5_000),
  /** Closes the listeners, lets requests end within the grace periods; says how many it had to abort. The thread then ends. */
  drain: call<void, { readonly aborted: number }>(10_000),
}
