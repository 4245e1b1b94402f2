import { crc32 } from 'node:zlib'
import { RECORD_NUMBERS, type RecordBatch, type RecordGroup } from '../batch/record-batch.ts'

/** The length and the checksum of all that follows. */
const PREFIX = 8
/** The prefix, whether all is ASCII, the position in the batch, the size of the topics, and the count of numbers. */
const HEAD = PREFIX + 16
const NUMBER = Float64Array.BYTES_PER_ELEMENT
const INITIAL_SIZE = 64 * 1024
/** A larger buffer is not kept. */
const MAX_KEPT = 1024 * 1024

/** Encodes groups of records for a journal, in memory that is used again by the next call. */
export class JournalGroups {
  #buffer = Buffer.allocUnsafeSlow(INITIAL_SIZE)
  #topics = ['']
  #topicsText = Buffer.from('[""]')

  encode({ bytes, numbers, topics, isAscii, start }: RecordGroup): Buffer {
    const text = this.#textOf(topics)
    const numbersAt = HEAD + text.length
    const bytesAt = numbersAt + numbers.byteLength
    const buffer = this.#bufferFor(bytesAt + bytes.length)
    buffer.writeUInt32LE(isAscii ? 1 : 0, PREFIX)
    buffer.writeUInt32LE(start, PREFIX + 4)
    buffer.writeUInt32LE(text.length, PREFIX + 8)
    buffer.writeUInt32LE(numbers.length, PREFIX + 12)
    buffer.set(text, HEAD)
    buffer.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), numbersAt)
    buffer.set(bytes, bytesAt)
    const content = buffer.subarray(PREFIX, bytesAt + bytes.length)
    buffer.writeUInt32LE(content.length, 0)
    buffer.writeUInt32LE(crc32(content), 4)
    return buffer.subarray(0, PREFIX + content.length)
  }

  /** Most groups have the topics of the group before. */
  #textOf(topics: readonly string[]): Buffer {
    const isSame = topics.length === this.#topics.length && topics.every((topic, at) => topic === this.#topics[at])
    if (!isSame) {
      this.#topics = [...topics]
      this.#topicsText = Buffer.from(JSON.stringify(topics))
    }
    return this.#topicsText
  }

  #bufferFor(size: number): Buffer {
    const { length } = this.#buffer
    if (length < size || length > Math.max(MAX_KEPT, 2 * size)) {
      this.#buffer = Buffer.allocUnsafeSlow(Math.max(INITIAL_SIZE, 2 * size))
    }
    return this.#buffer
  }
}

/** Decodes groups up to the first one that is incomplete or changed. `formats`: texts of each record. */
export function* readGroups(content: Buffer, formats: number): Generator<RecordBatch> {
  let at = 0
  while (content.length - at >= HEAD) {
    const length = content.readUInt32LE(at)
    const group = content.subarray(at + PREFIX, at + PREFIX + length)
    if (length < HEAD - PREFIX || group.length !== length || crc32(group) !== content.readUInt32LE(at + 4)) return
    const batch = batchIn(group, RECORD_NUMBERS + 2 * formats)
    if (batch === null) return
    yield batch
    at += PREFIX + group.length
  }
}

/** Null for a group of another layout. */
function batchIn(group: Buffer, stride: number): RecordBatch | null {
  const numbersAt = HEAD - PREFIX + group.readUInt32LE(8)
  const count = group.readUInt32LE(12)
  const bytesAt = numbersAt + NUMBER * count
  if (bytesAt > group.length || count % stride !== 0) return null
  const topics = JSON.parse(group.toString('utf8', HEAD - PREFIX, numbersAt)) as string[]
  const numbers = new Float64Array(count)
  new Uint8Array(numbers.buffer).set(group.subarray(numbersAt, bytesAt))
  const start = group.readUInt32LE(4)
  for (let index = 0; index < count; index++) {
    const isPosition = index % stride >= 2
    if (isPosition && numbers[index] !== -1) numbers[index]! -= start
  }
  return {
    bytes: group.subarray(bytesAt),
    numbers,
    topics,
    length: count / stride,
    isAscii: group.readUInt32LE(0) === 1,
  }
}
