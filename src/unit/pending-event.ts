import type { FormattedRecord } from '#durable-queue'
import type { ActiveListItem, EventStorage } from '#http'
import type { RecordedEvent } from '#schema'

/** Publishes recorded events. */
interface Recorder {
  commit(event: PendingEvent): void
  amend(event: PendingEvent, later: FormattedRecord): void
  rollback(event: PendingEvent): void
}

/** An event in the journal whose request has not ended. */
export class PendingEvent implements RecordedEvent, ActiveListItem {
  slot = -1
  readonly event: FormattedRecord
  readonly stored: EventStorage
  /** In the batch that is being collected; null where that batch was sent without it. */
  position: number | null
  readonly #recorder: Recorder

  constructor(recorder: Recorder, event: FormattedRecord, position: number, stored: EventStorage) {
    this.#recorder = recorder
    this.event = event
    this.position = position
    this.stored = stored
  }

  commit(): void {
    this.#recorder.commit(this)
  }

  amend(event: FormattedRecord): void {
    this.#recorder.amend(this, event)
  }

  rollback(): void {
    this.#recorder.rollback(this)
  }
}
