import { RECORD_NUMBERS, type RecordBatch } from './record-batch.ts'

/** Records that are a smaller part of their memory than this are copied: a waiting record would keep all of it. */
const RETAINED_PART = 1 / 8

/** A batch whose bytes can be decoded and copied. */
interface ReceivedBatch extends RecordBatch {
  readonly bytes: Buffer
}

function received(batch: RecordBatch): ReceivedBatch {
  const { buffer, byteOffset, length } = batch.bytes
  return { ...batch, bytes: Buffer.from(buffer, byteOffset, length) }
}

/** One record of a batch in one format: two references and a position, since there are many. */
class BatchRecord {
  readonly #batch: ReceivedBatch
  /** Position of the numbers of its record. */
  readonly #record: number
  /** Position of the start of its text. */
  readonly #text: number

  constructor(batch: ReceivedBatch, record: number, text: number) {
    this.#batch = batch
    this.#record = record
    this.#text = text
  }

  get topic(): string {
    const { topics, numbers } = this.#batch
    return topics[numbers[this.#record]!]!
  }

  get time(): number {
    return this.#batch.numbers[this.#record + 1]!
  }

  get id(): string {
    return this.bytes.toString('utf8', this.idStart, this.idEnd)
  }

  get text(): string {
    return this.bytes.toString('utf8', this.start, this.end)
  }

  /** The record has the ranges of its text and id itself. */
  get encoded(): this {
    return this
  }

  get bytes(): Buffer {
    return this.#batch.bytes
  }

  get start(): number {
    return this.#batch.numbers[this.#text]!
  }

  get end(): number {
    return this.#batch.numbers[this.#text + 1]!
  }

  get idStart(): number {
    return this.#batch.numbers[this.#record + 2]!
  }

  get idEnd(): number {
    return this.#batch.numbers[this.#record + 3]!
  }

  get isAscii(): boolean {
    return this.#batch.isAscii
  }
}

/** The records of a batch with so many formats in one of them: those of the given topics. */
export function recordsOf(
  sent: RecordBatch,
  formats: number,
  { format, topics }: { readonly format: number; readonly topics: readonly string[] },
): BatchRecord[] {
  const batch = received(sent)
  const { numbers } = batch
  const isAccepted = batch.topics.map((topic) => topics.includes(topic))
  const stride = RECORD_NUMBERS + 2 * formats
  const records: BatchRecord[] = []
  let bytes = 0
  for (let record = 0; record < numbers.length; record += stride) {
    const text = record + RECORD_NUMBERS + 2 * format
    if (numbers[text]! < 0 || isAccepted[numbers[record]!] !== true) continue
    bytes += numbers[text + 1]! - numbers[text]!
    records.push(new BatchRecord(batch, record, text))
  }
  return bytes < RETAINED_PART * batch.bytes.buffer.byteLength ? copied(records, batch.isAscii) : records
}

/** The same records in memory of their own. */
function copied(records: readonly BatchRecord[], isAscii: boolean): BatchRecord[] {
  const topics = [...new Set(records.map(({ topic }) => topic))]
  const numbers = new Float64Array(records.length * (RECORD_NUMBERS + 2))
  const parts: Uint8Array[] = []
  let at = 0
  for (const [index, { topic, time, id, bytes, start, end }] of records.entries()) {
    const ownId = Buffer.from(id)
    const idStart = at + end - start + 1
    numbers.set(
      [topics.indexOf(topic), time, idStart, idStart + ownId.length, at, at + end - start],
      index * (RECORD_NUMBERS + 2),
    )
    parts.push(bytes.subarray(start, end + 1), ownId)
    at = idStart + ownId.length
  }
  const bytes = new Uint8Array(at)
  let end = 0
  for (const part of parts) {
    bytes.set(part, end)
    end += part.length
  }
  const batch = received({ bytes, numbers, topics, length: records.length, isAscii })
  return records.map((_, index) => {
    const record = index * (RECORD_NUMBERS + 2)
    return new BatchRecord(batch, record, record + RECORD_NUMBERS)
  })
}
