import type { TextTarget } from '#schema'

const MIN_MEMORY = 16 * 1024
const NUMBER = Float64Array.BYTES_PER_ELEMENT
/** Memory that is larger than so many batches like the last one is released. */
const MAX_BATCHES = 8
/** Bytes of UTF-8 for a UTF-16 code unit. */
const MAX_BYTES = 3
/** Quotients of larger numbers are rounded. */
const MAX_DECIMAL = 2 ** 50
const MAX_DIGITS = 16
const MAX_INT32 = 2 ** 31 - 1
const DIGIT_0 = 0x30
const MAX_PLAIN = 2_048
/** Longer texts are encoded by a call of native code, which costs as much as to copy so many characters. */
const MAX_SHORT = 12

/** The bytes of a batch, then of the next one: in memory that stays in the caches of the processor. */
export class BatchMemory implements TextTarget {
  #memory = Buffer.allocUnsafeSlow(MIN_MEMORY)
  /** Bytes of the batch so far. */
  #size = 0
  /** Range of the id that was written last. */
  idStart = 0
  idEnd = 0

  get size(): number {
    return this.#size
  }

  /** Removes what was written after the batch had so many bytes. */
  truncate(size: number): void {
    this.#size = size
  }

  bytes(bytes: Uint8Array): true {
    this.#reserve(bytes.length)
    this.#memory.set(bytes, this.#size)
    this.#size += bytes.length
    return true
  }

  ascii(text: string): boolean {
    return this.text(text) === text.length
  }

  byte(byte: number): void {
    this.#reserve(1)
    this.#memory[this.#size++] = byte
  }

  plain(text: string): boolean {
    const { length } = text
    if (length > MAX_PLAIN) return false
    return length > MAX_SHORT ? this.#plainBytes(text) : this.#plainCharacters(text)
  }

  decimal(value: number): boolean {
    if (!(Number.isInteger(value) && value >= 0 && value <= MAX_DECIMAL)) return false
    this.#reserve(MAX_DIGITS)
    const memory = this.#memory
    let digits = 1
    for (let limit = 10; value >= limit; limit *= 10) digits++
    this.#size += digits
    let at = this.#size
    let rest = value
    for (; rest > MAX_INT32; rest = Math.floor(rest / 10)) memory[--at] = DIGIT_0 + (rest % 10)
    // Integer arithmetic, which most numbers allow.
    let small = rest | 0
    for (; small >= 10; small = (small / 10) | 0) memory[--at] = DIGIT_0 + (small % 10)
    memory[--at] = DIGIT_0 + small
    return true
  }

  id(beginning: Uint8Array, idAt: number, number: number): boolean {
    this.idStart = this.size + idAt
    const isWritten = this.bytes(beginning) && this.decimal(number)
    this.idEnd = this.size
    return isWritten
  }

  /** Writes a text in UTF-8; returns the number of bytes. */
  text(text: string): number {
    this.#reserve(text.length * MAX_BYTES)
    const written = this.#memory.write(text, this.#size)
    this.#size += written
    return written
  }

  /** The bytes from a position of the batch on. Valid until the next call of another method. */
  from(position: number): Uint8Array {
    return this.#memory.subarray(position, this.#size)
  }

  /**
   * The bytes of the batch and its numbers, in memory that another thread can read; what follows belongs to the next one. One
   * allocation for both: before a large one the C library merges all small chunks that were freed.
   */
  take(numbers: Float64Array): { readonly bytes: Uint8Array; readonly numbers: Float64Array } {
    const numbersAt = Math.ceil(this.#size / NUMBER) * NUMBER
    const shared = new SharedArrayBuffer(numbersAt + numbers.byteLength)
    const bytes = new Uint8Array(shared, 0, this.#size)
    bytes.set(this.from(0))
    const sharedNumbers = new Float64Array(shared, numbersAt, numbers.length)
    sharedNumbers.set(numbers)
    this.#size = 0
    if (this.#memory.length > MAX_BATCHES * Math.max(MIN_MEMORY, bytes.length)) {
      this.#memory = Buffer.allocUnsafeSlow(MIN_MEMORY)
    }
    return { bytes, numbers: sharedNumbers }
  }

  #plainCharacters(text: string): boolean {
    const { length } = text
    this.#reserve(length)
    const memory = this.#memory
    let at = this.#size
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index)
      if (!isPlain(code)) return false
      memory[at++] = code
    }
    this.#size = at
    return true
  }

  #plainBytes(text: string): boolean {
    const start = this.#size
    if (!this.ascii(text)) return false
    const memory = this.#memory
    for (let at = start; at < this.#size; at++) if (!isPlain(memory[at]!)) return false
    return true
  }

  #reserve(bytes: number): void {
    if (this.#size + bytes > this.#memory.length) this.#grow(bytes)
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(2 * (this.#size + needed))
    this.#memory.copy(larger, 0, 0, this.#size)
    this.#memory = larger
  }
}

/** Printable ASCII that JSON does not escape. */
function isPlain(code: number): boolean {
  return code >= 0x20 && code <= 0x7e && code !== 0x22 && code !== 0x5c
}
