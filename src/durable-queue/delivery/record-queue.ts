import type { QueuedRecord } from './transport.ts'

const INITIAL_CAPACITY = 256
/** Larger rings are released when they are empty. */
const RETAINED_CAPACITY = 16_384

/** First-in, first-out queue of records: a ring that grows, so that adding and removing cost the same at any length. */
export class RecordQueue {
  #records: (QueuedRecord | undefined)[] = new Array(INITIAL_CAPACITY)
  #sizes = new Uint32Array(INITIAL_CAPACITY)
  #first = 0
  #length = 0
  #bytes = 0

  get length(): number {
    return this.#length
  }

  /** Sum of the sizes passed to `push`. */
  get bytes(): number {
    return this.#bytes
  }

  get first(): QueuedRecord | undefined {
    return this.#records[this.#first]
  }

  push(record: QueuedRecord, bytes: number): void {
    if (this.#length === this.#records.length) this.#grow()
    const at = (this.#first + this.#length) & (this.#records.length - 1)
    this.#records[at] = record
    this.#sizes[at] = bytes
    this.#length++
    this.#bytes += bytes
  }

  /** Copies records from the index on: as many as the limits allow, at least one where there is one. */
  slice(from: number, maxRecords: number, maxBytes: number): QueuedRecord[] {
    const mask = this.#records.length - 1
    const end = Math.min(this.#length, from + maxRecords)
    const taken: QueuedRecord[] = []
    let bytes = 0
    for (let index = from; index < end; index++) {
      const at = (this.#first + index) & mask
      bytes += this.#sizes[at] as number
      if (bytes > maxBytes && taken.length > 0) break
      taken.push(this.#records[at] as QueuedRecord)
    }
    return taken
  }

  /** Removes records at the front. */
  drop(count: number): void {
    const mask = this.#records.length - 1
    for (let n = 0; n < count; n++) {
      this.#records[this.#first] = undefined
      this.#bytes -= this.#sizes[this.#first] as number
      this.#first = (this.#first + 1) & mask
    }
    this.#length -= count
    if (this.#length === 0 && this.#records.length > RETAINED_CAPACITY) this.#resize(INITIAL_CAPACITY)
  }

  #grow(): void {
    this.#resize(this.#records.length * 2)
  }

  #resize(capacity: number): void {
    const records: (QueuedRecord | undefined)[] = new Array(capacity)
    const sizes = new Uint32Array(capacity)
    const mask = this.#records.length - 1
    for (let n = 0; n < this.#length; n++) {
      const at = (this.#first + n) & mask
      records[n] = this.#records[at]
      sizes[n] = this.#sizes[at] as number
    }
    this.#records = records
    this.#sizes = sizes
    this.#first = 0
  }
}
