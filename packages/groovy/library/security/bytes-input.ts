import { checkSize, spend } from '../../meter.ts'
import { illegalArgument } from '../../values/exceptions.ts'
import type { ByteArray } from '../../values/java-array.ts'

/** Bytes that are collected until a digest, signature or encrypted text is computed. */
export class BytesInput {
  readonly #parts: Uint8Array[] = []
  #length = 0

  add(bytes: Uint8Array): void {
    this.#length += bytes.length
    checkSize(this.#length)
    spend(bytes.length)
    this.#parts.push(Uint8Array.from(bytes))
  }

  take(): Uint8Array {
    const bytes = Buffer.concat(this.#parts)
    this.#parts.length = 0
    this.#length = 0
    return bytes
  }
}

/** `length` bytes of an array. */
export function partOf({ bytes }: ByteArray, offset: number, length: number): Uint8Array {
  if (offset < 0 || length < 0 || offset + length > bytes.length) {
    throw illegalArgument(`offset ${offset} and length ${length} are outside of an array of ${bytes.length} bytes`)
  }
  return bytes.subarray(offset, offset + length)
}
