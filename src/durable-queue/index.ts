// A durable queue: records wait in memory, then in segment files of a spool, and are delivered in order and at least once to a
// destination that may fail for as long as it likes (`Delivery`). A journal keeps those of other threads until they are in the queue.
// What a record says is known to the caller alone.
export { recordsOf } from './batch/batch-records.ts'
export type { FormattedRecord, TextTarget } from './batch/formatted-record.ts'
export { BatchBuilder, type RecordBatch } from './batch/record-batch.ts'
export { Delivery, type DeliveryEnv } from './delivery/delivery.ts'
export type { DeliveryCounts } from './delivery/delivery-counts.ts'
export type { DeliveryWording } from './delivery/delivery-log.ts'
export type { QueueBounds } from './delivery/queue-bounds.ts'
export {
  type BatchLimits,
  LOCAL_LIMITS,
  type QueuedRecord,
  RecordRefused,
  RecordsDiscarded,
  SendDeferred,
  sizeOf,
  type Transport,
  type TransportEnv,
} from './delivery/transport.ts'
export { type JournalTarget, journalPath } from './journal/journal-file.ts'
export { JOURNAL_MEMORY, JournalGate, MAX_WRITE_TIME } from './journal/journal-gate.ts'
export { unitJournals } from './journal/journal-reader.ts'
export { JournalWriter } from './journal/journal-writer.ts'
export { orphanedSpools } from './spool/orphaned-spools.ts'
