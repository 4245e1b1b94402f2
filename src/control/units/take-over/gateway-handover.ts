import type { Listener } from '#listener'
import type { Supervisor } from '../supervisor.ts'
import type { TicketRotation } from '../ticket-rotation.ts'
import type { RecordsPassed, RunningGateway } from './handover-calls.ts'
import type { OwnedStore } from './owned-store.ts'

/** Milliseconds for management requests when another process takes over. */
const ADMIN_GRACE = 1_000

/** Parts of the gateway that are handed over, or closed for it. */
interface HandoverParts {
  readonly adminHost: string
  readonly version: string
  readonly store: OwnedStore
  readonly supervisor: Supervisor
  readonly tickets: TicketRotation | null
  /** Files that one process alone writes. */
  readonly files: {
    handOver(pass: RecordsPassed): Promise<unknown>
    resume(): void
  }
  /** Variables of the service manager. */
  readonly service: Readonly<Record<string, string>>
  state(): 'starting' | 'running' | 'draining'
  admin(): Listener | null
  /** Another process serves: this one is no longer ready, and follows no files and no store. */
  leave(): Promise<void>
  /** Resolves when the files that other processes read too are written. */
  settled(): Promise<void>
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
    const { adminHost, version, tickets, supervisor, service } = this.#parts
    return {
      pid: process.pid,
      version,
      connectors: supervisor.settings.connectors.map(({ host, ports, secure }) => ({ host, ports, secure })),
      adminHost,
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
    await this.#parts.files.handOver(pass)
  }

  /** Audit files are opened again for the next events. */
  resume(): void {
    this.#parts.files.resume()
  }

  /** Another process serves on the same ports: accepts nothing more. */
  async leave(): Promise<void> {
    const { supervisor } = this.#parts
    const left = this.#parts.leave()
    const admin = this.#parts.admin()
    void admin?.drain(ADMIN_GRACE, { isHandover: true })
    await Promise.all([admin?.stopAccepting(), supervisor.stopAccepting(), left])
    await this.#parts.settled()
  }
}
