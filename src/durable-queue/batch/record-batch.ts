import { BatchMemory } from './batch-memory.ts'
import type { FormattedRecord } from './formatted-record.ts'

/** Records of one service for the writer. Cheap to send to another thread: bytes and numbers in shared memory. */
export interface RecordBatch {
  /** Texts of all records in UTF-8, each followed by a line feed; then the ids that no text has. */
  readonly bytes: Uint8Array
  /** `RECORD_NUMBERS` of each record, then start and end of each of its texts; -1 for a format without one. */
  readonly numbers: Float64Array
  readonly topics: readonly string[]
  readonly length: number
  /** Whether all bytes are ASCII, without U+0000. */
  readonly isAscii: boolean
}

/** Records of a batch that has not been built yet. */
export interface RecordGroup extends Omit<RecordBatch, 'length'> {
  /** Position of the bytes in the batch, to which all positions refer. */
  readonly start: number
}

/** Numbers of each record: index of its topic, its time, start and end of its id. */
export const RECORD_NUMBERS = 4

/**
 * A batch with as many bytes is full: one call of destinations on this machine. To pass one on costs as much as a thousand records do,
 * in code that runs too seldom to be fast.
 */
const MAX_BATCH = 3_840 * 1024
/** Of the smallest queue: a batch must not fill one while the one before it is delivered. */
const QUEUE_PART = 1 / 4
const INITIAL_NUMBERS = 256
const LINE_END = 0x0a

/** Collects records for a batch, then for the next one. */
export class BatchBuilder {
  readonly #formats: number
  readonly #maxBytes: number
  /** Numbers of each record. */
  readonly #stride: number
  readonly #memory = new BatchMemory()
  #numbers = new Float64Array(INITIAL_NUMBERS)
  #count = 0
  #topics: string[] = []
  #length = 0
  #isAscii = true
  /** Ids that no text has, and the positions of their start in `#numbers`. */
  #ids: string[] = []
  #idPositions: number[] = []
  /** End of the groups that were taken: bytes and numbers of the batch. */
  #taken = 0
  #takenCount = 0

  /** `formats`: texts of each record; `queueBytes`: bytes of the smallest queue that takes the batches. */
  constructor(formats = 1, queueBytes = Number.POSITIVE_INFINITY) {
    this.#formats = formats
    this.#maxBytes = Math.min(MAX_BATCH, queueBytes * QUEUE_PART)
    this.#stride = RECORD_NUMBERS + 2 * formats
  }

  get isFull(): boolean {
    return this.#memory.size >= this.#maxBytes
  }

  get length(): number {
    return this.#length
  }

  /** Returns the position of the record in the batch. */
  add(record: FormattedRecord): number {
    this.#makeRoom()
    const at = this.#count
    this.#count += this.#stride
    this.#numbers[at] = this.#topicIndex(record.topic)
    this.#numbers[at + 1] = record.time
    if (!this.#write(record, at)) {
      this.#ids.push(record.id)
      this.#idPositions.push(at + 2)
    }
    return this.#length++
  }

  /** Removes a record of this batch from it. */
  withdraw(position: number): void {
    const at = position * this.#stride
    this.#numbers.fill(-1, at + RECORD_NUMBERS, at + this.#stride)
  }

  /** Replaces the texts of a record of this batch, which keeps its place and its id. Groups that were taken have the old ones. */
  replace(position: number, record: FormattedRecord): void {
    this.#write(record, position * this.#stride)
  }

  /** The records since the last call, with their ids; null without any. Valid until the next call of another method. */
  takeGroup(): RecordGroup | null {
    this.#writeIds()
    if (this.#takenCount === this.#count) return null
    const group = {
      bytes: this.#memory.from(this.#taken),
      numbers: this.#numbers.subarray(this.#takenCount, this.#count),
      topics: this.#topics,
      isAscii: this.#isAscii,
      start: this.#taken,
    }
    this.#taken = this.#memory.size
    this.#takenCount = this.#count
    return group
  }

  build(): RecordBatch {
    this.#writeIds()
    const batch = {
      ...this.#memory.take(this.#numbers.subarray(0, this.#count)),
      topics: this.#topics,
      length: this.#length,
      isAscii: this.#isAscii,
    }
    if (this.#numbers.length > 8 * Math.max(this.#count, INITIAL_NUMBERS))
      this.#numbers = new Float64Array(INITIAL_NUMBERS)
    this.#count = 0
    this.#taken = 0
    this.#takenCount = 0
    this.#topics = []
    this.#length = 0
    this.#isAscii = true
    return batch
  }

  /** Writes the texts of a record, whose numbers are at a position. Returns whether the first text has the id. */
  #write(record: FormattedRecord, position: number): boolean {
    const memory = this.#memory
    let hasId = false
    for (let format = 0; format < this.#formats; format++) {
      const at = position + RECORD_NUMBERS + 2 * format
      const start = memory.size
      const isWritten = record.write === undefined ? false : record.write(format, memory)
      if (isWritten !== true) memory.size = start
      if (isWritten === null || (isWritten === false && !this.#text(record.texts[format]))) {
        this.#setRange(at, -1, -1)
        continue
      }
      this.#setRange(at, start, memory.size)
      memory.byte(LINE_END)
      if (format > 0) continue
      if (isWritten) hasId = this.#setRange(position + 2, memory.idStart, memory.idEnd)
      else if (record.idAt !== undefined) {
        hasId = this.#setRange(position + 2, start + record.idAt, start + record.idAt + record.id.length)
      }
    }
    return hasId
  }

  #setRange(at: number, start: number, end: number): true {
    this.#numbers[at] = start
    this.#numbers[at + 1] = end
    return true
  }

  /** False without a text. */
  #text(text: string | undefined): boolean {
    if (text === undefined) return false
    const written = this.#memory.text(text)
    this.#isAscii &&= written === text.length && !text.includes('\0')
    return true
  }

  #writeIds(): void {
    for (const [index, position] of this.#idPositions.entries()) {
      const start = this.#memory.size
      this.#text(this.#ids[index])
      this.#setRange(position, start, this.#memory.size)
    }
    this.#ids = []
    this.#idPositions = []
  }

  #topicIndex(topic: string): number {
    const index = this.#topics.indexOf(topic)
    return index < 0 ? this.#topics.push(topic) - 1 : index
  }

  /** For the numbers of one more record. */
  #makeRoom(): void {
    if (this.#count + this.#stride <= this.#numbers.length) return
    const larger = new Float64Array(2 * (this.#count + this.#stride))
    larger.set(this.#numbers)
    this.#numbers = larger
  }
}
