import { readModifiedUtf8 } from './modified-utf8.ts'
import { ProtocolError } from './protocol-error.ts'

/** Reads the primitives of java.io.DataInput; throws ProtocolError where bytes are missing. */
export class DataInput {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  byte(): number {
    return this.#bytes[this.#take(1)] as number
  }

  boolean(): boolean {
    return this.byte() !== 0
  }

  short(): number {
    return this.#bytes.readUInt16BE(this.#take(2))
  }

  int(): number {
    return this.#bytes.readInt32BE(this.#take(4))
  }

  long(): bigint {
    return this.#bytes.readBigInt64BE(this.#take(8))
  }

  /** A view of the next bytes. */
  bytes(length: number): Buffer {
    const at = this.#take(length)
    return this.#bytes.subarray(at, at + length)
  }

  /** DataInput.readUTF. */
  utf(): string {
    return readModifiedUtf8(this.bytes(this.short()))
  }

  /** A presence byte, then the string. */
  string(): string | null {
    return this.boolean() ? this.utf() : null
  }

  /** A presence byte, a length of four bytes, then the bytes. */
  byteSequence(): Buffer | null {
    return this.boolean() ? this.bytes(this.int()) : null
  }

  #take(length: number): number {
    const at = this.#at
    if (length < 0 || at + length > this.#bytes.length) {
      throw new ProtocolError(`a frame of ${this.#bytes.length} bytes ends within a value of ${length} bytes`)
    }
    this.#at = at + length
    return at
  }
}
