import type { RecordBatch } from '#durable-queue'
import { call, notice } from '#rpc'
import type { AuditPlan, Problem, RecordChange, SharedRecord, UpstreamPlan } from '#schema'
import type { WatchedRequests } from './live-requests.ts'
import type { ObjectStatus, RouteFailure, RouterOpening, RouteSource, RouteWarnings } from './messages.ts'
import type { FinishedTrace } from './request-trace.ts'
import type { TlsPlan } from './tls-plan.ts'

/** An audit service whose handlers are open, with the memory of this service (AUDIT_MEMORY) and of all journals (JOURNAL_MEMORY). */
export interface OpenedAudit {
  readonly id: number
  readonly memory: SharedArrayBuffer
  readonly journals: SharedArrayBuffer
}

/** Milliseconds. Short, since requests wait for the store: it holds sessions among others. */
const STORE_TIMEOUT = 5_000

interface StoreKey {
  readonly space: string
  readonly key: string
}

/** Calls from a unit to the control plane. A new message is one line here and one handler in `src/control/unit-call-handlers.ts`. */
export const CONTROL_CALLS = {
  /** The deployed routes of a folder. Waits for a deploy in progress. */
  openRouter: call<RouterOpening, readonly RouteSource[]>(10 * 60_000),
  /** The router has built its routes, except the failed ones. */
  routerOpened: notice<{ readonly directory: string; readonly failures: readonly RouteFailure[] }>(),
  closeRouter: notice<{ readonly directory: string }>(),
  /** Warnings of a route that is now served. */
  routeWarnings: notice<RouteWarnings>(),
  objectStatus: notice<ObjectStatus>(),
  /** Requests that match a watch. */
  watchedRequests: notice<readonly WatchedRequests[]>(),
  /** The way of a traced request. */
  traceEnded: notice<FinishedTrace>(),
  /** Opens the event handlers of an audit service; those that another unit has opened are shared. */
  auditOpen: call<AuditPlan, OpenedAudit | { readonly problems: readonly Problem[] }>(30_000),
  /** `journal` is the number of the batch in the journals of the service, null where it is not there. */
  auditEvents: notice<{
    readonly id: number
    readonly batch: RecordBatch
    readonly dropped: number
    readonly journal: number | null
  }>(),
  /** Journals are paused from now on. */
  auditJournalFailed: notice<{ readonly id: number; readonly problem: string }>(),
  /** Changed transports of an opened service: secrets, keys or trust were rotated. */
  auditRenew: notice<{ readonly id: number; readonly plan: AuditPlan }>(),
  auditQueries: notice<{ readonly id: number }>(),
  auditClose: notice<{ readonly id: number }>(),
  /** Spans of traced requests as OTLP, and log lines; `read` is the memory in which the control thread counts those that it has read. */
  telemetry: notice<{ readonly batch: RecordBatch; readonly dropped: number; readonly read: SharedArrayBuffer }>(),
  /** Memory shared by all units under a key. */
  share: call<{ readonly key: string; readonly bytes: number }, SharedArrayBuffer>(30_000),
  unshare: notice<{ readonly key: string }>(),
  /** The permits for connections to one server (PermitTable), with the number of units and that of the caller. */
  openPermits: call<
    { readonly key: string; readonly permits: number },
    { readonly memory: SharedArrayBuffer; readonly units: number; readonly unit: number }
  >(30_000),
  closePermits: notice<{ readonly key: string }>(),
  /** The servers of an upstream service with their states, and the number of the unit in the memory. */
  upstreamOpen: call<UpstreamPlan, { readonly id: number; readonly memory: SharedArrayBuffer; readonly unit: number }>(
    30_000,
  ),
  /** TLS of the health checks of a service. */
  upstreamTls: notice<{ readonly id: number; readonly tls: TlsPlan }>(),
  upstreamClose: notice<{ readonly id: number }>(),
  storeGet: call<StoreKey & { readonly lifetime: number | null }, SharedRecord | null>(STORE_TIMEOUT),
  storeUpdate: call<
    StoreKey & { readonly change: RecordChange; readonly lifetime: number; readonly ifPresent: boolean },
    void
  >(STORE_TIMEOUT),
  storeGetAndDelete: call<StoreKey, SharedRecord | null>(STORE_TIMEOUT),
  storeGetOrCreate: call<StoreKey & { readonly initial: SharedRecord; readonly lifetime: number }, SharedRecord>(
    STORE_TIMEOUT,
  ),
}
