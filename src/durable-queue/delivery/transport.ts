import type { Logger } from '#logging'
import type { QueueClock } from './queue-bounds.ts'

/** One record for a destination. */
export interface QueuedRecord {
  readonly topic: string
  /** The same when it is sent again. */
  readonly id: string
  /** The record in the format of the destination, without line end. */
  readonly text: string
  /** Time of the record in milliseconds since the epoch. */
  readonly time: number
  /** Text and id in UTF-8, where they are encoded already. */
  readonly encoded?: EncodedText
}

/** Ranges of bytes. */
interface EncodedText {
  readonly bytes: Buffer
  /** A line feed follows the text. */
  readonly start: number
  readonly end: number
  readonly idStart: number
  readonly idEnd: number
  /** Whether all are ASCII, without U+0000. */
  readonly isAscii: boolean
}

/** Bytes of the text of a record. */
export function sizeOf(record: QueuedRecord): number {
  const { encoded } = record
  return encoded === undefined ? Buffer.byteLength(record.text) : encoded.end - encoded.start
}

/** Bounds of the records of one call of `send`, which has one record at least. */
export interface BatchLimits {
  readonly records: number
  readonly bytes: number
}

/** Bounds of destinations on this machine: fewer and larger writes cost less. */
export const LOCAL_LIMITS: BatchLimits = { records: 20_000, bytes: 4 * 1024 * 1024 }

/** A destination. `send` is called once at a time; a failed call is repeated with the same records in the same order. */
export interface Transport {
  /** Absent where the usual ones apply. */
  readonly batchLimits?: BatchLimits | undefined
  /**
   * Resolves when the destination has accepted every record. Rejects otherwise, with `RecordRefused` for a record that
   * can never be accepted, with `RecordsDiscarded`, or with `SendDeferred`. Ends within its own deadlines, and at once when the signal aborts.
   */
  send(records: readonly QueuedRecord[], signal: AbortSignal): Promise<void>
  /** Reopens files (SIGHUP). Resolves within a bounded time: a reload of the gateway waits for it. */
  reopen?(): Promise<void>
  /** Releases everything within a bounded time; idempotent. */
  close(): Promise<void>
}

/** Services for transports. */
export interface TransportEnv {
  readonly logger: Logger
  readonly clock: QueueClock
}

/** The destination will never accept one of the records: those before it were accepted, those after it were not sent. */
export class RecordRefused extends Error {
  override readonly name = 'RecordRefused'
  /** Position in the records of the call. */
  readonly index: number

  constructor(index: number, reason: string) {
    super(reason)
    this.index = index
  }
}

/** The destination accepted the call and discarded some of its records, without naming them. */
export class RecordsDiscarded extends Error {
  override readonly name = 'RecordsDiscarded'
  readonly count: number

  constructor(count: number, reason: string) {
    super(reason)
    this.count = count
  }
}

/** Nothing was sent, since the destination asked to wait: no failure of its own. */
export class SendDeferred extends Error {
  override readonly name = 'SendDeferred'
  /** Milliseconds. */
  readonly wait: number

  constructor(wait: number, reason: string) {
    super(reason)
    this.wait = wait
  }
}
