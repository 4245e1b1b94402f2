import { createHash } from 'node:crypto'
import { type AuditRecord, openTransport, type Transport, type TransportEnv } from '#audit'
import type { TransportPlan } from '#schema'

/**
 * The transport of a handler whose settings may change while events wait: opened for the first batch, and replaced between two
 * batches. Events that wait are not lost with a new version of the route.
 */
export class CurrentTransport implements Transport {
  readonly #env: TransportEnv
  #plan: TransportPlan
  #fingerprint: string
  #opened: { readonly fingerprint: string; readonly transport: Transport } | null = null

  constructor(plan: TransportPlan, env: TransportEnv) {
    this.#env = env
    this.#plan = plan
    this.#fingerprint = fingerprintOf(plan)
    // Files of an earlier process are continued at once: the end of a chain of lines is signed, and leftovers are removed.
    if (plan.type === 'file') void this.#current().catch(() => {})
  }

  /** Sends later batches by another plan. */
  use(plan: TransportPlan): void {
    this.#plan = plan
    this.#fingerprint = fingerprintOf(plan)
  }

  async send(records: readonly AuditRecord[], signal: AbortSignal): Promise<void> {
    const transport = await this.#current()
    await transport.send(records, signal)
  }

  async reopen(): Promise<void> {
    await this.#opened?.transport.reopen?.()
  }

  async close(): Promise<void> {
    const opened = this.#opened
    this.#opened = null
    await opened?.transport.close()
  }

  async #current(): Promise<Transport> {
    if (this.#opened !== null && this.#opened.fingerprint === this.#fingerprint) return this.#opened.transport
    await this.close()
    const opened = { fingerprint: this.#fingerprint, transport: await openTransport(this.#plan, this.#env) }
    this.#opened = opened
    return opened.transport
  }
}

/** A digest: plans hold secrets, which are not copied. */
function fingerprintOf(plan: TransportPlan): string {
  return createHash('sha256').update(JSON.stringify(plan)).digest('base64')
}
