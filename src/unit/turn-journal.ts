import type { JournalWriter } from '#audit'
import type { AuditBatchBuilder } from '#contracts'

/** Writes the events of a batch to the journal, those of a turn of the event loop at once. */
export class TurnJournal {
  readonly #batch: AuditBatchBuilder
  readonly #writer: JournalWriter
  readonly #onTurnEnded: () => void
  #turn: PromiseWithResolvers<void> | null = null

  /** `onTurnEnded` is called when what waits for the events of a turn has gone on. */
  constructor(batch: AuditBatchBuilder, writer: JournalWriter, onTurnEnded: () => void) {
    this.#batch = batch
    this.#writer = writer
    this.#onTurnEnded = onTurnEnded
  }

  get isActive(): boolean {
    return this.#writer.isActive
  }

  /** Resolves at the end of the turn, when the events that the batch has now are stored. */
  store(): Promise<void> {
    if (this.#turn === null) {
      this.#turn = Promise.withResolvers()
      setImmediate(() => this.#endTurn())
      setImmediate(this.#onTurnEnded)
    }
    return this.#turn.promise
  }

  storeNow(): void {
    const group = this.#batch.takeGroup()
    if (group !== null) this.#writer.append(group)
  }

  /** The number of the journal of the batch, which has been built; null where it has none. */
  endBatch(): number | null {
    return this.#writer.endBatch()
  }

  #endTurn(): void {
    const turn = this.#turn
    this.#turn = null
    this.storeNow()
    turn?.resolve()
  }
}
