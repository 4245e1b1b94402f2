import type { TextTarget } from './formatted-record.ts'

const MIN_MEMORY = 16 * 1024
const NUMBER = Float64Array.BYTES_PER_ELEMENT
/** Memory that is larger than so many batches like the last one is released. */
const MAX_BATCHES = 8
/** Bytes of UTF-8 for a UTF-16 code unit. */
const MAX_BYTES = 3

/** The bytes of a batch, then of the next one: in memory that stays in the caches of the processor. */
export class BatchMemory implements TextTarget {
  #memory = Buffer.allocUnsafeSlow(MIN_MEMORY)
  /** Bytes of the batch so far. */
  size = 0
  idStart = 0
  idEnd = 0

  room(bytes: number): Buffer {
    if (this.size + bytes > this.#memory.length) this.#grow(bytes)
    return this.#memory
  }

  byte(byte: number): void {
    this.room(1)[this.size++] = byte
  }

  /** Writes a text in UTF-8; returns the number of bytes. */
  text(text: string): number {
    const written = this.room(text.length * MAX_BYTES).write(text, this.size)
    this.size += written
    return written
  }

  /** The bytes from a position of the batch on. Valid until the next call of another method. */
  from(position: number): Uint8Array {
    return this.#memory.subarray(position, this.size)
  }

  /**
   * The bytes of the batch and its numbers, in memory that another thread can read; what follows belongs to the next one. One
   * allocation for both: before a large one the C library merges all small chunks that were freed.
   */
  take(numbers: Float64Array): { readonly bytes: Uint8Array; readonly numbers: Float64Array } {
    const numbersAt = Math.ceil(this.size / NUMBER) * NUMBER
    const shared = new SharedArrayBuffer(numbersAt + numbers.byteLength)
    const bytes = new Uint8Array(shared, 0, this.size)
    bytes.set(this.from(0))
    const sharedNumbers = new Float64Array(shared, numbersAt, numbers.length)
    sharedNumbers.set(numbers)
    this.size = 0
    if (this.#memory.length > MAX_BATCHES * Math.max(MIN_MEMORY, bytes.length)) {
      this.#memory = Buffer.allocUnsafeSlow(MIN_MEMORY)
    }
    return { bytes, numbers: sharedNumbers }
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(2 * (this.size + needed))
    this.#memory.copy(larger, 0, 0, this.size)
    this.#memory = larger
  }
}
