/**
 * The received part of a text that continues in the next chunk. Bytes are copied, so that a sender of single bytes takes no more
 * memory than one of large chunks; concatenated strings would take a node for each of them.
 */
export class PartialText {
  #bytes: Buffer | null = null
  #length = 0

  get isEmpty(): boolean {
    return this.#length === 0
  }

  /** In bytes. */
  get length(): number {
    return this.#length
  }

  append(chunk: Buffer, from: number, end: number): void {
    const length = this.#length + end - from
    if (this.#bytes === null || length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(128, 2 * length))
      this.#bytes?.copy(grown, 0, 0, this.#length)
      this.#bytes = grown
    }
    chunk.copy(this.#bytes, this.#length, from, end)
    this.#length = length
  }

  /** The text, in Latin-1; it is empty afterwards. */
  take(): string {
    const text = this.#bytes?.toString('latin1', 0, this.#length) ?? ''
    this.clear()
    return text
  }

  clear(): void {
    this.#bytes = null
    this.#length = 0
  }
}
