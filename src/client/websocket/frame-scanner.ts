const LONGEST_HEADER = 14
const OPCODE_CLOSE = 8
const MASK_BIT = 0x80

/**
 * Finds the frame boundaries of one direction (RFC 6455 section 5.2). Contents are not validated (decisions, "WebSocket
 * relaying").
 */
export class FrameScanner {
  readonly #header = Buffer.alloc(LONGEST_HEADER)
  #headerBytes = 0
  #payloadLeft = 0
  #opcode = 0
  #closed = false

  /** Whether the last byte ended a frame, or no frame has begun. */
  get isBetweenFrames(): boolean {
    return this.#headerBytes === 0 && this.#payloadLeft === 0
  }

  /** Whether a close frame is complete. */
  get hasClosed(): boolean {
    return this.#closed
  }

  /** Advances from `at` to the end of the current frame or of the chunk; returns the new offset. */
  advance(chunk: Buffer, at: number): number {
    let place = at
    if (this.#payloadLeft === 0) {
      place = this.#readHeader(chunk, at)
      if (this.#headerBytes > 0) return place
    }
    const taken = Math.min(this.#payloadLeft, chunk.length - place)
    this.#payloadLeft -= taken
    if (this.#payloadLeft === 0 && this.#opcode === OPCODE_CLOSE) this.#closed = true
    return place + taken
  }

  #readHeader(chunk: Buffer, at: number): number {
    let place = at
    while (place < chunk.length) {
      this.#header[this.#headerBytes++] = chunk[place++]!
      if (this.#headerBytes < this.#headerLength) continue
      this.#opcode = this.#header[0]! & 0x0f
      this.#payloadLeft = this.#payloadLength
      this.#headerBytes = 0
      break
    }
    return place
  }

  get #headerLength(): number {
    if (this.#headerBytes < 2) return 2
    const second = this.#header[1]!
    const short = second & 0x7f
    return 2 + (short === 126 ? 2 : short === 127 ? 8 : 0) + ((second & MASK_BIT) === 0 ? 0 : 4)
  }

  get #payloadLength(): number {
    const short = this.#header[1]! & 0x7f
    if (short === 126) return this.#header.readUInt16BE(2)
    // Lengths above 2^53 are rounded, which no connection lasts long enough to notice.
    if (short === 127) return this.#header.readUInt32BE(2) * 2 ** 32 + this.#header.readUInt32BE(6)
    return short
  }
}
