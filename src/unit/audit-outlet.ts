import { formatCount, journalTargets } from '#audit'
import { AUDIT_MEMORY, type CONTROL_CALLS } from '#contracts'
import { BatchBuilder, type FormattedRecord, JournalGate, JournalWriter } from '#durable-queue'
import { ActiveList } from '#http'
import type { Remote } from '#rpc'
import { type AuditOutlet, type AuditPlan, type Clock, ConfigError } from '#schema'
import { PendingEvent } from './pending-event.ts'
import { TurnJournal } from './turn-journal.ts'

/** Milliseconds for which events wait for others, so that one message carries many. */
const BATCH_TIME = 100
/** Events that were sent and not yet read by the control thread; beyond it the thread is stuck, and events are dropped. */
const MAX_UNREAD = 100_000

/** Opens the handlers of an audit service on the control thread. */
export async function openAuditOutlet(
  control: Remote<typeof CONTROL_CALLS>,
  plan: AuditPlan,
  clock: Clock,
): Promise<AuditOutlet> {
  const opened = await control.auditOpen(plan)
  if ('problems' in opened) throw new ConfigError(opened.problems)
  const { id, memory, journals } = opened
  const blocking = plan.handlers.filter(({ queue }) => queue.onFull === 'block')
  const maxBlockTime = Math.max(0, ...blocking.map(({ queue }) => queue.maxBlockTime))
  const targets = journalTargets(plan)
  const onFault = (problem: string) => control.auditJournalFailed({ id, problem })
  const journal =
    targets.length === 0
      ? null
      : new JournalWriter({ targets, service: id, gate: new JournalGate(journals, id), clock, onFault })
  return new BatchingOutlet(control, id, {
    memory: new Int32Array(memory),
    maxBlockTime,
    journal,
    formats: formatCount(plan),
    queueBytes: Math.min(...plan.handlers.map(({ queue }) => queue.maxBytes)),
  })
}

interface OutletInput {
  readonly memory: Int32Array
  readonly maxBlockTime: number
  /** Null where no handler keeps events beyond the process. */
  readonly journal: JournalWriter | null
  /** Texts of each event. */
  readonly formats: number
  /** Bytes of the smallest queue. */
  readonly queueBytes: number
}

/** Collects the events of one service and sends them to the control thread, many with each message. */
class BatchingOutlet implements AuditOutlet {
  readonly #control: Remote<typeof CONTROL_CALLS>
  readonly #id: number
  readonly #memory: Int32Array
  readonly #maxBlockTime: number
  readonly #batch: BatchBuilder
  readonly #journal: TurnJournal | null
  /** Recorded events of this batch whose requests have not ended. */
  readonly #pending = new ActiveList<PendingEvent>()
  #dropped = 0
  #sent = 0
  #timer: NodeJS.Timeout | null = null
  #isClosed = false
  /** Whether the control thread has read all but `MAX_UNREAD` events of the batches so far. */
  #hasRoom = true
  readonly begin: AuditOutlet['begin']

  constructor(control: Remote<typeof CONTROL_CALLS>, id: number, input: OutletInput) {
    const { memory, maxBlockTime, journal, formats, queueBytes } = input
    this.#batch = new BatchBuilder(formats, queueBytes)
    this.#control = control
    this.#id = id
    this.#memory = memory
    this.#maxBlockTime = maxBlockTime
    const turns = journal === null ? null : new TurnJournal(this.#batch, journal, () => this.#sendIfFull())
    this.#journal = turns
    this.begin = turns === null ? null : (event) => this.#begin(event, turns)
  }

  get isFull(): boolean {
    return Atomics.load(this.#memory, AUDIT_MEMORY.full) !== 0
  }

  async waitForRoom(): Promise<void> {
    const { async, value } = Atomics.waitAsync(this.#memory, AUDIT_MEMORY.full, 1, this.#maxBlockTime)
    if (async) await value
  }

  publish(event: FormattedRecord): void {
    if (!this.#isAccepting()) {
      this.#dropped++
      return
    }
    this.#batch.add(event)
    this.#journal?.store()
    this.#added()
  }

  commit(event: PendingEvent): void {
    this.#pending.delete(event)
    if (event.position === null) this.publish(event.event)
    else this.#added()
  }

  amend(event: PendingEvent, later: FormattedRecord): void {
    this.#pending.delete(event)
    if (event.position === null) {
      this.publish(later)
      return
    }
    this.#batch.replace(event.position, later)
    this.#added()
  }

  rollback(event: PendingEvent): void {
    this.#pending.delete(event)
    if (event.position !== null) this.#batch.withdraw(event.position)
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

  #isAccepting(): boolean {
    // What is sent and not read grows with each batch, and only shrinks between them.
    this.#hasRoom ||= this.#unread() <= MAX_UNREAD
    return this.#hasRoom && !this.#isClosed
  }

  /** The counter of the reader wraps around, as does that of what was sent. */
  #unread(): number {
    return (this.#sent - Atomics.load(this.#memory, AUDIT_MEMORY.eventsRead)) | 0
  }

  #begin(event: FormattedRecord, journal: TurnJournal): PendingEvent | null {
    if (!this.#isAccepting() || !journal.isActive) return null
    const pending = new PendingEvent(this, event, this.#batch.add(event), journal.store())
    this.#pending.add(pending)
    this.#added()
    return pending
  }

  #added(): void {
    this.#timer ??= setTimeout(() => this.#flush(), BATCH_TIME)
    // With a journal, most requests of this turn have ended when it has: their events are sent in order.
    if (this.#journal === null) this.#sendIfFull()
  }

  #sendIfFull(): void {
    if (this.#batch.isFull) this.#flush()
  }

  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#batch.length === 0 && this.#dropped === 0) return
    this.#journal?.storeNow()
    for (const event of this.#pending.all()) this.#defer(event)
    const batch = this.#batch.build()
    const journal = this.#journal?.endBatch() ?? null
    this.#control.auditEvents({ id: this.#id, batch, dropped: this.#dropped, journal })
    this.#sent = (this.#sent + batch.length) | 0
    this.#hasRoom = this.#unread() <= MAX_UNREAD
    this.#dropped = 0
  }

  /**
   * No event is sent before its request has ended. It is published then, and is in no journal meanwhile: to write it again with each
   * batch would be a cost for each client that does not read.
   */
  #defer(event: PendingEvent): void {
    this.rollback(event)
    event.position = null
  }
}
