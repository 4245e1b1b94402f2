import { ProtocolError } from './protocol-error.ts'

const EMPTY = Buffer.alloc(0)
const SIZE_BYTES = 4

/**
 * Splits a stream of bytes into frames: a size of four bytes, then a command. Memory grows with the bytes that have
 * arrived, not with the announced size.
 */
export class FrameReader {
  readonly #maxFrameSize: number
  /** Begins with the size of the frame that has not arrived as a whole. */
  #pending: Buffer = EMPTY
  #pendingLength = 0

  constructor(maxFrameSize: number) {
    this.#maxFrameSize = maxFrameSize
  }

  /** Frames that are complete with these bytes, without their size. Throws ProtocolError for a size out of bounds. */
  *read(chunk: Buffer): Generator<Buffer> {
    let bytes = this.#withPending(chunk)
    while (bytes.length >= SIZE_BYTES) {
      const end = SIZE_BYTES + this.#frameSize(bytes)
      if (bytes.length < end) break
      yield bytes.subarray(SIZE_BYTES, end)
      bytes = bytes.subarray(end)
    }
    if (bytes.length > 0 && this.#pendingLength === 0) this.#keep(bytes)
  }

  /** All bytes that are not consumed, once they may contain a frame; the chunk alone where nothing is pending. */
  #withPending(chunk: Buffer): Buffer {
    if (this.#pendingLength === 0) return chunk
    this.#keep(chunk)
    const pending = this.#pending.subarray(0, this.#pendingLength)
    if (pending.length < SIZE_BYTES || pending.length < SIZE_BYTES + this.#frameSize(pending)) return EMPTY
    this.#pending = EMPTY
    this.#pendingLength = 0
    return pending
  }

  #frameSize(bytes: Buffer): number {
    const size = bytes.readInt32BE(0)
    if (size >= 1 && size <= this.#maxFrameSize) return size
    const start = bytes
      .subarray(0, 16)
      .toString('latin1')
      .replace(/[^ -~]/g, '.')
    throw new ProtocolError(`the peer does not speak OpenWire: a frame of ${size} bytes, which begins with "${start}"`)
  }

  #keep(chunk: Buffer): void {
    const length = this.#pendingLength + chunk.length
    if (length > this.#pending.length) {
      const larger = Buffer.allocUnsafe(Math.max(256, 2 * length))
      this.#pending.copy(larger, 0, 0, this.#pendingLength)
      this.#pending = larger
    }
    chunk.copy(this.#pending, this.#pendingLength)
    this.#pendingLength = length
  }
}
