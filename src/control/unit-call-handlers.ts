import type { CONTROL_CALLS } from '#contracts'
import type { Handlers } from '#rpc'
import type { AuditWriter } from './audit/audit-writer.ts'
import type { LiveRequests } from './monitoring/live/live-requests.ts'
import type { RequestTraces } from './monitoring/live/request-traces.ts'
import type { ObjectStates } from './monitoring/object-states.ts'
import type { Telemetry } from './monitoring/telemetry/telemetry.ts'
import type { OpenFolders } from './routes/open-folders.ts'
import type { ConnectionPermits } from './units/connection-permits.ts'
import { SharedMemory } from './units/shared-memory.ts'
import type { OwnedStore } from './units/take-over/owned-store.ts'
import type { UnitLink } from './units/unit-link.ts'
import type { UpstreamServices } from './upstreams/upstream-services.ts'

/** Parts of the control plane that units call. */
interface CalledParts {
  readonly stores: OpenFolders
  readonly requests: LiveRequests
  readonly traces: RequestTraces
  readonly states: ObjectStates
  readonly audit: AuditWriter
  readonly telemetry: Telemetry
  readonly permits: ConnectionPermits
  readonly upstreams: UpstreamServices
  readonly store: OwnedStore
}

/** Handlers of the calls of units, and the release of what a unit has acquired by them. */
export class UnitCallHandlers {
  readonly #parts: CalledParts
  readonly #memory = new SharedMemory()

  constructor(parts: CalledParts) {
    this.#parts = parts
  }

  /** Those of one unit. */
  of(unit: UnitLink): Handlers<typeof CONTROL_CALLS> {
    const memory = this.#memory
    const { stores, requests, traces, states, audit, telemetry, permits, upstreams, store } = this.#parts
    return {
      openRouter: (router, context) => stores.open(unit, router, context),
      routerOpened: ({ directory, failures }) => stores.opened(unit, directory, failures),
      closeRouter: ({ directory }) => stores.closed(unit, directory),
      routeWarnings: (warnings) => stores.warned(unit, warnings),
      watchedRequests: (batches) => requests.received(batches),
      traceEnded: (trace) => traces.finished(trace),
      objectStatus: (status) => states.record(unit, status),
      auditOpen: (plan) => audit.open(unit, plan),
      auditEvents: ({ id, batch, dropped, journal }) => audit.take(id, batch, dropped, journal),
      auditJournalFailed: ({ id, problem }) => audit.journalFailed(id, problem),
      auditRenew: ({ id, plan }) => audit.renew(id, plan),
      auditQueries: ({ id }) => audit.serveQueries(id),
      auditClose: ({ id }) => audit.close(id),
      telemetry: ({ batch, dropped, read }) => telemetry.take(batch, dropped, read),
      share: ({ key, bytes }) => memory.acquire(key, bytes, unit),
      unshare: ({ key }) => memory.release(key, unit),
      openPermits: ({ key, permits: count }) => permits.open(key, count, unit),
      closePermits: ({ key }) => permits.close(key, unit),
      upstreamOpen: (plan) => upstreams.open(plan, unit),
      upstreamTls: ({ id, tls }) => upstreams.checkWith(id, tls),
      upstreamClose: ({ id }) => upstreams.close(id, unit),
      ...store.handlers,
    }
  }

  /** A unit has ended, and with it what it shared. */
  ended(unit: UnitLink): void {
    const { permits, states, audit, upstreams } = this.#parts
    this.#memory.releaseAll(unit)
    permits.ended(unit)
    upstreams.ended(unit)
    states.removeUnit(unit)
    audit.closeAll(unit)
  }
}
