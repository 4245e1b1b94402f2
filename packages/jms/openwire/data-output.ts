import { MAX_UNIT_BYTES, writeModifiedUtf8 } from './modified-utf8.ts'

const INITIAL_SIZE = 512
const MAX_INITIAL_SIZE = 128 * 1024
/** A larger buffer is not kept. */
const MAX_SPARE_SIZE = 1024 * 1024
const MAX_STRING = 0xffff

/** Writes the primitives of java.io.DataOutput into a buffer that grows. */
export class DataOutput {
  #buffer: Buffer = Buffer.allocUnsafe(INITIAL_SIZE)
  #length = 0
  #taken: Buffer | null = null
  #spare: Buffer | null = null

  get length(): number {
    return this.#length
  }

  /** The bytes written so far; the output starts again with an empty buffer. */
  take(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#length)
    this.#taken = this.#buffer
    // The next bytes are about as many.
    this.#buffer = this.#spare ?? Buffer.allocUnsafe(Math.min(Math.max(INITIAL_SIZE, this.#length), MAX_INITIAL_SIZE))
    this.#spare = null
    this.#length = 0
    return bytes
  }

  /**
   * The bytes that were taken last are not used any more: their memory is used again. Garbage outside of the heap would make
   * V8 collect the heap of the thread as a whole, many times a second.
   */
  reuseTaken(): void {
    if (this.#taken !== null && this.#taken.length <= MAX_SPARE_SIZE) this.#spare = this.#taken
    this.#taken = null
  }

  /** Discards the bytes after a position. */
  truncate(length: number): void {
    this.#length = length
  }

  byte(value: number): void {
    const at = this.#grow(1)
    this.#buffer[at] = value & 0xff
  }

  boolean(value: boolean): void {
    this.byte(value ? 1 : 0)
  }

  short(value: number): void {
    const at = this.#grow(2)
    this.#buffer.writeUInt16BE(value & 0xffff, at)
  }

  int(value: number): void {
    const at = this.#grow(4)
    this.intAt(at, value)
  }

  /** An integer that a number holds exactly. */
  long(value: number): void {
    const at = this.#grow(8)
    this.longAt(at, value)
  }

  bigLong(value: bigint): void {
    const at = this.#grow(8)
    this.#buffer.writeBigInt64BE(value, at)
  }

  bytes(value: Uint8Array): void {
    const at = this.#grow(value.length)
    this.#buffer.set(value, at)
  }

  /** Bytes of a range of a buffer. */
  copy(source: Buffer, start: number, end: number): void {
    const at = this.#grow(end - start)
    source.copy(this.#buffer, at, start, end)
  }

  /** DataOutput.writeUTF: a length of two bytes, then modified UTF-8. */
  utf(value: string): void {
    const start = this.#length
    this.short(0)
    const length = this.#text(value)
    if (length > MAX_STRING) throw new RangeError(`a string of ${length} bytes is longer than ${MAX_STRING}`)
    this.#buffer.writeUInt16BE(length, start)
  }

  /** A length of four bytes, then modified UTF-8. */
  longUtf(value: string): void {
    const start = this.#length
    this.int(0)
    this.intAt(start, this.#text(value))
  }

  /** A presence byte, then the string. */
  string(value: string | null): void {
    this.boolean(value !== null)
    if (value !== null) this.utf(value)
  }

  /** Sets a byte at an earlier position. */
  byteAt(position: number, value: number): void {
    this.#buffer[position] = value
  }

  /** Sets an int at an earlier position. */
  intAt(position: number, value: number): void {
    const buffer = this.#buffer
    buffer[position] = value >> 24
    buffer[position + 1] = value >> 16
    buffer[position + 2] = value >> 8
    buffer[position + 3] = value
  }

  /** Sets a long at an earlier position. */
  longAt(position: number, value: number): void {
    this.intAt(position, Math.floor(value / 0x1_0000_0000))
    this.intAt(position + 4, value >>> 0)
  }

  /** Returns the length in bytes. */
  #text(value: string): number {
    // Room is made first: it may replace the buffer.
    const at = this.#grow(value.length * MAX_UNIT_BYTES)
    const length = writeModifiedUtf8(value, this.#buffer, at)
    this.#length = at + length
    return length
  }

  /** Makes room and returns the position of the first new byte. */
  #grow(bytes: number): number {
    const at = this.#length
    this.#length += bytes
    if (this.#length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#length, 2 * this.#buffer.length))
      this.#buffer.copy(larger, 0, 0, at)
      this.#buffer = larger
    }
    return at
  }
}
