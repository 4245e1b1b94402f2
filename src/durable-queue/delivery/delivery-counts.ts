import type { QueuedRecord } from './transport.ts'

/** Why records were lost: queue full, refused by the destination, larger than the queue, unreadable on disk, shutdown. */
export type LossReason = 'full' | 'refused' | 'too_large' | 'unreadable' | 'closed'

/** Figures of a delivery since its start. */
export interface DeliveryCounts {
  /** Accepted records by topic. */
  readonly delivered: ReadonlyMap<string, number>
  readonly lost: Readonly<Record<LossReason, number>>
  /** Calls of `send` that failed; their records are sent again. */
  readonly failures: number
  /** Records in memory and on disk, without those of an earlier process that were not read yet. */
  readonly queued: number
  readonly spooledBytes: number
  /** Age in milliseconds of the oldest undelivered record in memory; 0 without one. */
  readonly oldestAge: number
}

/** Counts delivered and lost records. */
export class DeliveryTotals {
  readonly delivered = new Map<string, number>()
  readonly lost: Record<LossReason, number> = { full: 0, refused: 0, too_large: 0, unreadable: 0, closed: 0 }
  failures = 0

  get allLost(): number {
    return this.lost.full + this.lost.refused + this.lost.too_large + this.lost.unreadable + this.lost.closed
  }

  /** Counts the first records of a batch. */
  addDelivered(records: readonly QueuedRecord[], count: number): void {
    let topic = ''
    let run = 0
    for (let n = 0; n < count; n++) {
      const record = records[n] as QueuedRecord
      if (record.topic !== topic) {
        this.#add(topic, run)
        topic = record.topic
        run = 0
      }
      run++
    }
    this.#add(topic, run)
  }

  #add(topic: string, count: number): void {
    if (count > 0) this.delivered.set(topic, (this.delivered.get(topic) ?? 0) + count)
  }
}
