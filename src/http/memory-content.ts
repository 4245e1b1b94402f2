const NOTHING = Buffer.alloc(0)

/** Content in one buffer that grows by doubling, so that many small chunks cost no more than their bytes. */
export class MemoryContent {
  readonly #limit: number
  readonly #initialLength: number
  #block: Buffer = NOTHING
  #length = 0

  constructor(initialLength: number, limit: number) {
    this.#limit = limit
    this.#initialLength = initialLength
  }

  append(chunk: Uint8Array): void {
    const length = this.#length + chunk.length
    if (length > this.#block.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, this.#grown()))
      this.#block.copy(grown, 0, 0, this.#length)
      this.#block = grown
    }
    this.#block.set(chunk, this.#length)
    this.#length = length
  }

  #grown(): number {
    return Math.min(Math.max(this.#block.length * 2, this.#initialLength), this.#limit)
  }

  bytes(): Uint8Array {
    return this.#block.subarray(0, this.#length)
  }
}
