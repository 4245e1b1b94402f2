import { MAX_UNIT_BYTES, writeModifiedUtf8 } from './modified-utf8.ts'

const INITIAL_SIZE = 512
const MAX_INITIAL_SIZE = 128 * 1024
const MAX_STRING = 0xffff

/** Writes the primitives of java.io.DataOutput into a buffer that grows. */
export class DataOutput {
  #buffer: Buffer = Buffer.allocUnsafe(INITIAL_SIZE)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** The bytes written so far; the output starts again with an empty buffer. */
  take(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#length)
    // The next bytes are about as many.
    this.#buffer = Buffer.allocUnsafe(Math.min(Math.max(INITIAL_SIZE, this.#length), MAX_INITIAL_SIZE))
    this.#length = 0
    return bytes
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
    this.#buffer.writeInt32BE(value | 0, at)
  }

  /** An integer that a number holds exactly. */
  long(value: number): void {
    const at = this.#grow(8)
    this.#buffer.writeInt32BE(Math.floor(value / 0x1_0000_0000), at)
    this.#buffer.writeUInt32BE(value >>> 0, at + 4)
  }

  bigLong(value: bigint): void {
    const at = this.#grow(8)
    this.#buffer.writeBigInt64BE(value, at)
  }

  bytes(value: Uint8Array): void {
    const at = this.#grow(value.length)
    this.#buffer.set(value, at)
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

  /** Sets an int at an earlier position. */
  intAt(position: number, value: number): void {
    this.#buffer.writeInt32BE(value, position)
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
