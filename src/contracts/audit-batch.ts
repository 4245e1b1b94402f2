import type { FormattedEvent } from '#schema'

/** Events of one service for the writer. Cheap to send to another thread: shared bytes, one text and one array of numbers. */
export interface AuditBatch {
  /** Texts of all events in UTF-8, each followed by a line feed. */
  readonly bytes: Uint8Array<SharedArrayBuffer>
  /** Ids of all events, one behind the other. */
  readonly ids: string
  /** For each event: topic, time, length of the id, and the bytes of each text; -1 for a format without one. */
  readonly numbers: Float64Array
  readonly topics: readonly string[]
  readonly events: number
}

const INITIAL_CAPACITY = 4_096
/** A larger buffer is released with its batch. */
const RETAINED_CAPACITY = 1024 * 1024
/** Events that are formatted one after the other: the code and its data stay in the caches of the processor. */
const GROUP = 32
/** Bytes of UTF-8 for a UTF-16 code unit. */
const MAX_BYTES = 3

/** Collects events for a batch, then for the next one. */
export class AuditBatchBuilder {
  readonly #waiting: FormattedEvent[] = []
  #bytes = Buffer.allocUnsafeSlow(INITIAL_CAPACITY)
  #length = 0
  #ids = ''
  #numbers: number[] = []
  #topics: string[] = []
  #events = 0

  /** Bytes of the formatted events. */
  get size(): number {
    return this.#length
  }

  get events(): number {
    return this.#events
  }

  add(event: FormattedEvent): void {
    this.#events++
    this.#waiting.push(event)
    if (this.#waiting.length >= GROUP) this.#format()
  }

  build(): AuditBatch {
    this.#format()
    const bytes = new Uint8Array(new SharedArrayBuffer(this.#length))
    bytes.set(this.#bytes.subarray(0, this.#length))
    const numbers = Float64Array.from(this.#numbers)
    const batch = { bytes, ids: this.#ids, numbers, topics: this.#topics, events: this.#events }
    if (this.#bytes.length > RETAINED_CAPACITY) this.#bytes = Buffer.allocUnsafeSlow(INITIAL_CAPACITY)
    this.#length = 0
    this.#ids = ''
    this.#numbers = []
    this.#topics = []
    this.#events = 0
    return batch
  }

  #format(): void {
    const formatted: { readonly text: string; readonly lengthAt: number }[] = []
    let lines = ''
    for (const { topic, id, texts, time } of this.#waiting) {
      let index = this.#topics.indexOf(topic)
      if (index < 0) index = this.#topics.push(topic) - 1
      this.#ids += id
      this.#numbers.push(index, time, id.length)
      for (const text of texts) {
        const lengthAt = this.#numbers.push(text?.length ?? -1) - 1
        if (text === undefined) continue
        lines += `${text}\n`
        formatted.push({ text, lengthAt })
      }
    }
    this.#waiting.length = 0
    // Characters are bytes where all are ASCII.
    if (this.#write(lines) === lines.length) return
    for (const { text, lengthAt } of formatted) this.#numbers[lengthAt] = Buffer.byteLength(text)
  }

  /** Returns the number of bytes. */
  #write(text: string): number {
    const needed = this.#length + text.length * MAX_BYTES
    if (needed > this.#bytes.length) this.#grow(needed)
    const written = this.#bytes.write(text, this.#length)
    this.#length += written
    return written
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

/** One event of a batch in one format; id and text are decoded when they are read. */
class BatchRecord {
  readonly topic: string
  readonly time: number
  /** Range of the text in the bytes of its batch; a line feed follows. */
  readonly encoded: { readonly bytes: Uint8Array; readonly start: number; readonly end: number }
  readonly #ids: string
  readonly #idStart: number
  readonly #idEnd: number

  constructor(
    { topics, ids, bytes }: AuditBatch,
    topic: number,
    time: number,
    id: readonly [start: number, end: number],
    text: readonly [start: number, end: number],
  ) {
    this.topic = topics[topic]!
    this.time = time
    this.encoded = { bytes, start: text[0], end: text[1] }
    this.#ids = ids
    this.#idStart = id[0]
    this.#idEnd = id[1]
  }

  get id(): string {
    return this.#ids.slice(this.#idStart, this.#idEnd)
  }

  get text(): string {
    const { bytes, start, end } = this.encoded
    return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8')
  }
}

/** The events of a batch with so many formats in one of them: those of the given topics. */
export function recordsOf(
  batch: AuditBatch,
  formats: number,
  { format, topics }: { readonly format: number; readonly topics: readonly string[] },
): BatchRecord[] {
  const { numbers, events } = batch
  const isAccepted = batch.topics.map((topic) => topics.includes(topic))
  const records: BatchRecord[] = []
  const stride = 3 + formats
  let idStart = 0
  let start = 0
  for (let first = 0; first < events * stride; first += stride) {
    const topic = numbers[first]!
    const idEnd = idStart + numbers[first + 2]!
    for (let number = 0; number < formats; number++) {
      const length = numbers[first + 3 + number]!
      if (length < 0) continue
      if (number === format && isAccepted[topic] === true) {
        records.push(new BatchRecord(batch, topic, numbers[first + 1]!, [idStart, idEnd], [start, start + length]))
      }
      start += length + 1
    }
    idStart = idEnd
  }
  return records
}
