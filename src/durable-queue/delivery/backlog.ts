import type { Spool } from '../spool/spool.ts'
import { SegmentRemoved } from '../spool/spool-segment.ts'
import type { QueueBounds } from './queue-bounds.ts'
import { RecordQueue } from './record-queue.ts'
import { type BatchLimits, type QueuedRecord, sizeOf } from './transport.ts'

const BATCH_LIMITS: BatchLimits = { records: 500, bytes: 256 * 1024 }
/** Text that is encoded in one turn of the event loop and synchronised to the disk at once. */
export const MAX_COMMIT_BYTES = 512 * 1024
/** Bytes of a line beside the text of its record, about. */
const LINE_OVERHEAD = 128

/** Records that left the backlog because they can not be read from the disk. */
interface Unreadable {
  readonly lost: number
  /** Those of them that this process added. */
  readonly settled: number
}

const NONE_UNREADABLE: Unreadable = { lost: 0, settled: 0 }

/** Records that were not added. */
interface Rejected {
  readonly full: number
  readonly tooLarge: number
}

const ALL_ADDED: Rejected = { full: 0, tooLarge: 0 }

/** A group of records that is being written to the spool. */
interface Commit {
  readonly count: number
  /** Position of the first of them where they stay in memory; null where they are read back later. */
  position: number | null
}

/**
 * Undelivered records in the order in which they were added: first those in memory that are sent next
 * (`head`), then those on the disk only, then those that wait to be written to it (`tail`). Positions count the
 * records that came into the head.
 */
export class Backlog {
  readonly #plan: QueueBounds
  #head = new RecordQueue()
  #tail = new RecordQueue()
  #spool: Spool | null = null
  /** Position of the first record of the head: all before it were accepted or lost. */
  #start = 0
  /** Records before this position are on the disk, or were accepted. */
  #committed = 0
  /** Records before this position were there at the last call of `needsCommit`. */
  #aged = 0
  #commit: Commit | null = null
  /** Records at the beginning of the head that an earlier process added. */
  #replayed = 0
  /** Whether the disk takes records, as far as is known: then they are in the tail only for a moment. */
  #isStoring: boolean
  /** Bounds of the head and of the tail: with a spool each has half of the memory. */
  readonly #maxEvents: number
  readonly #maxBytes: number
  readonly #commitBytes: number

  constructor(plan: QueueBounds) {
    this.#plan = plan
    const parts = plan.spool === null ? 1 : 2
    this.#maxEvents = Math.max(1, Math.floor(plan.maxEvents / parts))
    this.#maxBytes = plan.maxBytes / parts
    this.#isStoring = plan.spool !== null
    this.#commitBytes = Math.min(MAX_COMMIT_BYTES, (plan.spool?.maxBytes ?? 0) / 16)
  }

  /** Records in memory and, as far as they are known, on the disk. */
  get length(): number {
    return this.#head.length + this.#tail.length + (this.#spool?.unread ?? 0)
  }

  get spooledBytes(): number {
    return this.#spool?.bytes ?? 0
  }

  get hasSpool(): boolean {
    return this.#spool !== null
  }

  /** The record that is sent next, where it is in memory. */
  get first(): QueuedRecord | undefined {
    return this.#head.first
  }

  get isEmpty(): boolean {
    return this.#head.length === 0 && this.#tail.length === 0 && !(this.#spool?.hasUnread ?? false)
  }

  /** Whether records of an earlier process are left. */
  get isReplaying(): boolean {
    return this.#replayed > 0 || (this.#spool?.isReplaying ?? false)
  }

  /** Records that a crash would lose. */
  get volatile(): number {
    const head = this.#start + this.#head.length - this.#committed
    return this.#spool === null ? this.#head.length + this.#tail.length : head + this.#tail.length
  }

  /** Bytes in memory that have to be written to the disk before they can be sent. */
  get tailBytes(): number {
    return this.#tail.bytes
  }

  /** Part of memory in use: 1 is full. */
  get usage(): number {
    const head = this.#usageOf(this.#head)
    if (this.#plan.spool === null) return head
    return this.#isOverflowing ? (1 + this.#usageOf(this.#tail)) / 2 : head / 2
  }

  /** Adds records until the queue is full: the rest is counted in `full`. */
  add(records: readonly QueuedRecord[]): Rejected {
    let queue = this.#isOverflowing ? this.#tail : this.#head
    let tooLarge = 0
    for (let n = 0; n < records.length; n++) {
      const record = records[n] as QueuedRecord
      const bytes = sizeOf(record)
      if (bytes > this.#maxBytes) {
        tooLarge++
        continue
      }
      if (queue === this.#head && this.#plan.spool !== null && !this.#hasRoom(queue, bytes)) queue = this.#tail
      if (!this.#hasRoom(queue, bytes)) return { full: records.length - n, tooLarge }
      queue.push(record, bytes)
    }
    return tooLarge === 0 ? ALL_ADDED : { full: 0, tooLarge }
  }

  /** Whether new records come after others that are not in the head. */
  get #isOverflowing(): boolean {
    return this.#tail.length > 0 || (this.#spool?.hasUnread ?? false)
  }

  #hasRoom(queue: RecordQueue, bytes: number): boolean {
    // A burst of more records than a small queue has room for goes to the disk, while that takes them.
    const hasPlace = queue.length < this.#maxEvents || (queue === this.#tail && this.#isStoring)
    return hasPlace && queue.bytes + bytes <= this.#maxBytes
  }

  #usageOf({ length, bytes }: RecordQueue): number {
    return Math.max(length / this.#maxEvents, bytes / this.#maxBytes)
  }

  /** Uses a spool. Records that it has from an earlier process come before all others, which are all in the tail then. */
  attach(spool: Spool): void {
    this.#spool = spool
    this.#isStoring = true
    spool.release(this.#start)
    if (!spool.hasUnread) return
    const [head, tail] = [this.#head, this.#tail]
    for (const record of tail.slice(0, tail.length, Infinity)) head.push(record, sizeOf(record))
    this.#tail = head
    this.#head = new RecordQueue()
    this.#committed = this.#start
    this.#aged = this.#start
  }

  /** The spool can not be opened for now. */
  spoolUnavailable(): void {
    this.#isStoring = false
  }

  /** The next records to send, in memory; empty where they have to be fetched by `refill` first. */
  batch({ records, bytes }: BatchLimits = BATCH_LIMITS): readonly QueuedRecord[] {
    return this.#head.slice(0, records, bytes)
  }

  /** Moves records into the empty head. Rejects where the disk can not be read. */
  async refill(): Promise<Unreadable> {
    if (this.#spool?.hasUnread) return this.#readBack(this.#spool)
    if (this.#commit !== null) this.#commit.position ??= this.#start
    ;[this.#head, this.#tail] = [this.#tail, this.#head]
    return NONE_UNREADABLE
  }

  async #readBack(spool: Spool): Promise<Unreadable> {
    const { records, isReplayed, unreadable } = await spool.read(this.#start, this.#maxEvents)
    for (const record of records) this.#head.push(record, sizeOf(record))
    if (isReplayed) this.#replayed += records.length
    this.#committed = this.#start + this.#head.length
    this.#aged = this.#committed
    if (records.length === 0) spool.release(this.#start)
    return { lost: unreadable, settled: isReplayed ? 0 : unreadable }
  }

  /** Removes records that were accepted or refused; returns how many of them this process added. */
  settle(count: number): number {
    this.#head.drop(count)
    this.#start += count
    this.#committed = Math.max(this.#committed, this.#start)
    const replayed = Math.min(this.#replayed, count)
    this.#replayed -= replayed
    this.#spool?.release(this.#start)
    return count - replayed
  }

  /** Whether records are to be written to the disk: those that are undelivered since the call before, and the tail. */
  needsCommit(): boolean {
    const isAged = this.#start < this.#aged
    this.#aged = this.#start + this.#head.length
    return this.#tail.length > 0 || (isAged && this.#committed < this.#aged)
  }

  /** Writes a group of records to the spool; false where all are there. Rejects where that fails. */
  async commit(): Promise<boolean> {
    const spool = this.#spool
    if (spool === null || this.#commit !== null) return false
    const isHead = this.#committed < this.#start + this.#head.length
    const queue = isHead ? this.#head : this.#tail
    const records = queue.slice(
      isHead ? this.#committed - this.#start : 0,
      this.#commitBytes / LINE_OVERHEAD,
      this.#commitBytes,
    )
    if (records.length === 0) return false
    const commit: Commit = { count: records.length, position: isHead ? this.#committed : null }
    this.#commit = commit
    try {
      const stored = await spool.write(records)
      this.#isStoring = true
      this.#stored(commit, stored)
    } catch (error) {
      this.#isStoring = false
      if (error instanceof SegmentRemoved && !spool.hasUnread) this.#committed = this.#start
      throw error
    } finally {
      this.#commit = null
    }
    return true
  }

  #stored({ position, count }: Commit, stored: (end: number | null) => void): void {
    if (position === null) {
      stored(null)
      this.#tail.drop(count)
      return
    }
    const end = position + count
    stored(end)
    this.#committed = Math.max(this.#committed, end)
    this.#spool?.release(this.#start)
  }

  /** Releases the spool; the next process sends its records. */
  async close(): Promise<void> {
    await this.#spool?.close(this.#start)
  }
}
