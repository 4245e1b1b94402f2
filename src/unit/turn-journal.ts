import type { BatchBuilder, JournalWriter } from '#durable-queue'
import type { EventStorage } from '#http'

/** Writes the events of a batch to the journal, those of a turn of the event loop at once. */
export class TurnJournal {
  readonly #batch: BatchBuilder
  readonly #writer: JournalWriter
  readonly #onTurnEnded: () => void
  #turn: Turn | null = null

  /** `onTurnEnded` is called when what waits for the events of a turn has gone on. */
  constructor(batch: BatchBuilder, writer: JournalWriter, onTurnEnded: () => void) {
    this.#batch = batch
    this.#writer = writer
    this.#onTurnEnded = onTurnEnded
  }

  get isActive(): boolean {
    return this.#writer.isActive
  }

  /** Stores the events that the batch has now at the end of the turn. */
  store(): EventStorage {
    if (this.#turn === null) {
      this.#turn = new Turn()
      setImmediate(() => this.#endTurn())
      setImmediate(this.#onTurnEnded)
    }
    return this.#turn
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
    turn?.end()
  }
}

/** The events of one turn. */
class Turn implements EventStorage {
  /** Null when they are stored. */
  #waiting: (() => void)[] | null = []

  whenStored(next: () => void): void {
    if (this.#waiting === null) next()
    else this.#waiting.push(next)
  }

  end(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = null
    for (const next of waiting) {
      try {
        next()
      } catch (error) {
        // The responses of other requests go on first.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}
