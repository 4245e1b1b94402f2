import type { Listener } from '#listener'
import type { AdminSettings } from '../../admin/admin-settings.ts'
import type { RecordsPassed } from '../../audit/current-transport.ts'
import type { GatewayFleet } from '../../fleet/gateway-fleet.ts'
import type { RouteHistory } from '../../routes/history/route-history.ts'
import type { RouteStores } from '../../routes/route-stores.ts'
import type { Supervisor } from '../supervisor.ts'
import type { TicketRotation } from '../ticket-rotation.ts'
import type { RunningGateway } from './handover-calls.ts'
import type { OwnedStore } from './owned-store.ts'

/** Milliseconds for management requests when another process takes over. */
const ADMIN_GRACE = 1_000

/** Parts of the gateway that are handed over, or closed for it. */
interface HandoverParts {
  readonly settings: AdminSettings
  readonly version: string
  readonly store: OwnedStore
  readonly supervisor: Supervisor
  readonly stores: RouteStores
  readonly history: RouteHistory
  readonly tickets: TicketRotation | null
  readonly fleet: GatewayFleet | null
  /** Variables of the service manager. */
  readonly service: Readonly<Record<string, string>>
  state(): 'starting' | 'running' | 'draining'
  admin(): Listener | null
  /** Another process serves: this one is no longer ready, and follows no store. */
  leave(): Promise<void>
}

/** The gateway for a process that takes over from it. */
export class GatewayHandover {
  readonly store: OwnedStore
  readonly #parts: HandoverParts

  constructor(parts: HandoverParts) {
    this.store = parts.store
    this.#parts = parts
  }

  get running(): RunningGateway {
    const { settings, version, tickets, supervisor, service } = this.#parts
    return {
      pid: process.pid,
      version,
      connectors: supervisor.settings.connectors.map(({ host, ports, secure }) => ({ host, ports, secure })),
      adminHost: settings.admin.host,
      adminPort: this.#parts.admin()?.port ?? 0,
      tickets: tickets === null ? null : Buffer.from(new Uint8Array(tickets.memory)).toString('base64'),
      service,
    }
  }

  /** Why another process can not take over; null where it can. */
  get obstacle(): string | null {
    const state = this.#parts.state()
    if (state === 'running') return null
    return state === 'starting' ? 'it is still starting' : 'it is stopping'
  }

  /** Writes no files any more that only one process may write. Their audit events wait until `pass` takes them, or refuses. */
  async freeze(pass: RecordsPassed): Promise<void> {
    const { fleet, settings } = this.#parts
    await Promise.all([fleet?.handOver(), settings.auditWriter.handOver(pass)])
  }

  /** Audit files are opened again for the next events. */
  resume(): void {
    this.#parts.fleet?.resume()
  }

  /** Another process serves on the same ports: accepts nothing more. */
  async leave(): Promise<void> {
    const { supervisor, stores, history } = this.#parts
    const left = this.#parts.leave()
    stores.close()
    const admin = this.#parts.admin()
    void admin?.drain(ADMIN_GRACE, { isHandover: true })
    await Promise.all([admin?.stopAccepting(), supervisor.stopAccepting(), left])
    await history.settled()
  }
}
