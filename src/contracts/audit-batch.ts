import type { FormattedEvent } from '#schema'

/** Events of one service for the writer. Cheap to send to another thread: shared bytes and one array of numbers. */
export interface AuditBatch {
  /** Texts of all events in UTF-8, each followed by a line feed; then the ids that no text has. */
  readonly bytes: Uint8Array
  /** `EVENT_NUMBERS` of each event, then start and end of each of its texts; -1 for a format without one. */
  readonly numbers: Float64Array
  readonly topics: readonly string[]
  readonly events: number
  /** Whether all bytes are ASCII, without U+0000. */
  readonly isAscii: boolean
}

/** Events of a batch that has not been built yet. */
export interface AuditGroup extends Omit<AuditBatch, 'events'> {
  /** Position of the bytes in the batch, to which all positions refer. */
  readonly start: number
}

/** Numbers of each event: index of its topic, its time, start and end of its id. */
export const EVENT_NUMBERS = 4

/** A batch with as many bytes is full. */
const MAX_BATCH = 512 * 1024
/** Bytes of shared memory that are allocated at once: those of two batches like the last one, within these bounds. */
const MIN_MEMORY = 16 * 1024
const MAX_MEMORY = 1280 * 1024
const BATCHES = 2
/** Room for a batch, relative to the size of the last one: a text is written only where `MAX_BYTES` for each of its characters fit. */
const MARGIN = 9 / 8
const INITIAL_NUMBERS = 256
/** Events that are formatted one after the other: the code and its data stay in the caches of the processor. */
const GROUP = 32
/** Bytes of UTF-8 for a UTF-16 code unit. */
const MAX_BYTES = 3

/** Collects events for a batch, then for the next one. Their bytes are written once, to memory that the writer reads too. */
export class AuditBatchBuilder {
  readonly #waiting: FormattedEvent[] = []
  /** Batches are parts of it, one behind the other; released when the last of them is delivered. */
  #memory = sharedMemory(0)
  #start = 0
  #end = 0
  #lastSize = 0
  #numbers = new Float64Array(INITIAL_NUMBERS)
  #count = 0
  #topics: string[] = []
  #events = 0
  #isAscii = true
  /** Of the group that is being formatted. */
  readonly #texts: string[] = []
  /** Ids that no text has, and the positions of their start in `#numbers`. */
  #ids: string[] = []
  #idPositions: number[] = []
  /** End of the groups that were taken: bytes and numbers of the batch. */
  #taken = 0
  #takenCount = 0

  get isFull(): boolean {
    return this.#end - this.#start >= MAX_BATCH
  }

  get events(): number {
    return this.#events
  }

  /** Returns the position of the event in the batch. */
  add(event: FormattedEvent): number {
    this.#waiting.push(event)
    if (this.#waiting.length >= GROUP) this.#format()
    return this.#events++
  }

  /** Removes an event of this batch from it. */
  withdraw(position: number): void {
    this.#format()
    const stride = this.#count / this.#events
    this.#numbers.fill(-1, position * stride + EVENT_NUMBERS, (position + 1) * stride)
  }

  /** Replaces the texts of an event of this batch, which keeps its place and its id. Groups that were taken have the old ones. */
  replace(position: number, { idAt, texts }: FormattedEvent): void {
    this.#format()
    let at = position * (this.#count / this.#events)
    const lengthOfId = this.#numbers[at + 3]! - this.#numbers[at + 2]!
    if (idAt !== undefined) {
      this.#numbers[at + 2] = this.#end - this.#start + idAt
      this.#numbers[at + 3] = this.#end - this.#start + idAt + lengthOfId
    }
    at += EVENT_NUMBERS
    for (const text of texts) {
      this.#numbers[at++] = text === undefined ? -1 : this.#end - this.#start
      if (text !== undefined) this.#write(`${text}\n`)
      this.#numbers[at++] = text === undefined ? -1 : this.#end - this.#start - 1
    }
  }

  /** The events since the last call, with their ids; null without any. Valid until the next call of another method. */
  takeGroup(): AuditGroup | null {
    this.#format()
    this.#writeIds()
    const size = this.#end - this.#start
    if (this.#takenCount === this.#count) return null
    const group = {
      bytes: this.#memory.subarray(this.#start + this.#taken, this.#end),
      numbers: this.#numbers.subarray(this.#takenCount, this.#count),
      topics: this.#topics,
      isAscii: this.#isAscii,
      start: this.#taken,
    }
    this.#taken = size
    this.#takenCount = this.#count
    return group
  }

  build(): AuditBatch {
    this.#format()
    this.#writeIds()
    const batch = {
      bytes: new Uint8Array(this.#memory.buffer, this.#start, this.#end - this.#start),
      numbers: this.#numbers.slice(0, this.#count),
      topics: this.#topics,
      events: this.#events,
      isAscii: this.#isAscii,
    }
    this.#lastSize = this.#end - this.#start
    this.#start = this.#end
    // A batch that outgrows its memory is copied: one like this one begins with new memory where it would not fit.
    if (this.#memory.length - this.#end < MARGIN * this.#lastSize) this.#release()
    if (this.#numbers.length > 8 * Math.max(this.#count, INITIAL_NUMBERS))
      this.#numbers = new Float64Array(INITIAL_NUMBERS)
    this.#count = 0
    this.#taken = 0
    this.#takenCount = 0
    this.#topics = []
    this.#events = 0
    this.#isAscii = true
    return batch
  }

  #format(): void {
    if (this.#waiting.length === 0) return
    const first = this.#count
    let lines = ''
    // Positions as if all were ASCII, where characters are bytes.
    let at = this.#end - this.#start
    for (const { topic, id, idAt, texts, time } of this.#waiting) {
      const numbers = this.#roomFor(EVENT_NUMBERS + 2 * texts.length)
      const position = this.#count
      numbers[position] = this.#topicIndex(topic)
      numbers[position + 1] = time
      if (idAt === undefined) {
        this.#ids.push(id)
        this.#idPositions.push(position + 2)
      } else {
        numbers[position + 2] = at + idAt
        numbers[position + 3] = at + idAt + id.length
      }
      this.#count += EVENT_NUMBERS
      for (const text of texts) {
        numbers[this.#count++] = text === undefined ? -1 : at
        if (text === undefined) {
          numbers[this.#count++] = -1
          continue
        }
        at += text.length + 1
        numbers[this.#count++] = at - 1
        lines += `${text}\n`
        this.#texts.push(text)
      }
    }
    const start = this.#end - this.#start
    if (this.#write(lines) !== lines.length) this.#measure(first, start)
    this.#waiting.length = 0
    this.#texts.length = 0
  }

  /** Corrects the positions of a group with texts that are not ASCII. */
  #measure(first: number, start: number): void {
    const stride = (this.#count - first) / this.#waiting.length
    const numbers = this.#numbers
    let at = start
    let text = 0
    for (const [index, { id, idAt }] of this.#waiting.entries()) {
      const event = first + index * stride
      if (idAt !== undefined) {
        numbers[event + 2] = at + idAt
        numbers[event + 3] = at + idAt + id.length
      }
      for (let position = event + EVENT_NUMBERS; position < event + stride; position += 2) {
        if (numbers[position] === -1) continue
        numbers[position] = at
        at += Buffer.byteLength(this.#texts[text++]!)
        numbers[position + 1] = at++
      }
    }
  }

  #writeIds(): void {
    for (const [index, position] of this.#idPositions.entries()) {
      this.#numbers[position] = this.#end - this.#start
      this.#write(this.#ids[index]!)
      this.#numbers[position + 1] = this.#end - this.#start
    }
    this.#ids = []
    this.#idPositions = []
  }

  #topicIndex(topic: string): number {
    const index = this.#topics.indexOf(topic)
    return index < 0 ? this.#topics.push(topic) - 1 : index
  }

  /** Returns the number of bytes. */
  #write(text: string): number {
    const needed = text.length * MAX_BYTES
    if (this.#end + needed > this.#memory.length) this.#grow(needed)
    const written = this.#memory.write(text, this.#end)
    this.#end += written
    this.#isAscii &&= written === text.length && !text.includes('\0')
    return written
  }

  #roomFor(count: number): Float64Array {
    if (this.#count + count > this.#numbers.length) {
      const larger = new Float64Array(2 * (this.#count + count))
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    return this.#numbers
  }

  /** The batches in it keep the memory until they are delivered. */
  #release(): void {
    this.#memory = sharedMemory(0)
    this.#start = 0
    this.#end = 0
  }

  #grow(needed: number): void {
    const size = this.#end - this.#start
    const wanted = Math.min(MAX_MEMORY, Math.max(MIN_MEMORY, BATCHES * MARGIN * Math.max(size, this.#lastSize)))
    const larger = sharedMemory(Math.max(wanted, size + needed))
    this.#memory.copy(larger, 0, this.#start, this.#end)
    this.#memory = larger
    this.#start = 0
    this.#end = size
  }
}

function sharedMemory(bytes: number): Buffer<SharedArrayBuffer> {
  return Buffer.from(new SharedArrayBuffer(bytes))
}
