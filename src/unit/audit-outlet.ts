import { AUDIT_MEMORY, AuditBatchBuilder, type CONTROL_CALLS } from '#contracts'
import type { Remote } from '#rpc'
import { type AuditOutlet, type AuditPlan, ConfigError, type FormattedEvent } from '#schema'

/** Milliseconds for which events wait for others, so that one message carries many. */
const BATCH_TIME = 100
/** Events that were sent and not yet read by the control thread; beyond it the thread is stuck, and events are dropped. */
const MAX_UNREAD = 100_000

/** Opens the handlers of an audit service on the control thread. */
export async function openAuditOutlet(control: Remote<typeof CONTROL_CALLS>, plan: AuditPlan): Promise<AuditOutlet> {
  const opened = await control.auditOpen(plan)
  if ('problems' in opened) throw new ConfigError(opened.problems)
  const maxBlockTime = Math.max(0, ...plan.handlers.map(({ queue }) => queue.maxBlockTime))
  return new BatchingOutlet(control, opened.id, new Int32Array(opened.memory), maxBlockTime)
}

/** Collects the events of one service and sends them to the control thread, many with each message. */
class BatchingOutlet implements AuditOutlet {
  readonly #control: Remote<typeof CONTROL_CALLS>
  readonly #id: number
  readonly #memory: Int32Array
  readonly #maxBlockTime: number
  readonly #batch = new AuditBatchBuilder()
  #dropped = 0
  #sent = 0
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(control: Remote<typeof CONTROL_CALLS>, id: number, memory: Int32Array, maxBlockTime: number) {
    this.#control = control
    this.#id = id
    this.#memory = memory
    this.#maxBlockTime = maxBlockTime
  }

  get isFull(): boolean {
    return Atomics.load(this.#memory, AUDIT_MEMORY.full) !== 0
  }

  async waitForRoom(): Promise<void> {
    const { async, value } = Atomics.waitAsync(this.#memory, AUDIT_MEMORY.full, 1, this.#maxBlockTime)
    if (async) await value
  }

  publish(event: FormattedEvent): void {
    // The counter of the reader wraps around, as does this one.
    if (this.#isClosed || ((this.#sent - Atomics.load(this.#memory, AUDIT_MEMORY.eventsRead)) | 0) > MAX_UNREAD) {
      this.#dropped++
      return
    }
    this.#batch.add(event)
    if (this.#batch.isFull) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), BATCH_TIME)
  }

  renew(plan: AuditPlan): void {
    if (!this.#isClosed) this.#control.auditRenew({ id: this.#id, plan })
  }

  serveQueries(): void {
    this.#control.auditQueries({ id: this.#id })
  }

  close(): void {
    if (this.#isClosed) return
    this.#flush()
    this.#isClosed = true
    this.#control.auditClose({ id: this.#id })
  }

  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#batch.events === 0 && this.#dropped === 0) return
    const batch = this.#batch.build()
    this.#control.auditEvents({ id: this.#id, batch, dropped: this.#dropped })
    this.#sent = (this.#sent + batch.events) | 0
    this.#dropped = 0
  }
}
