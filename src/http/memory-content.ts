import type { BodySink, BodySource } from './body-flow.ts'
import type { StoredContent } from './temporary-storage.ts'

/** Content in one block of memory that grows by doubling: many small pieces cost no more than their bytes. */
export class MemoryContent implements StoredContent {
  readonly inMemory = true
  readonly #limit: number
  #block: Buffer
  #length = 0

  constructor(initialLength: number, limit: number) {
    this.#limit = limit
    this.#block = Buffer.allocUnsafe(Math.min(initialLength, limit))
  }

  get length(): number {
    return this.#length
  }

  append(chunk: Uint8Array): void {
    const length = this.#length + chunk.length
    if (length > this.#block.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, Math.min(this.#block.length * 2, this.#limit)))
      this.#block.copy(grown, 0, 0, this.#length)
      this.#block = grown
    }
    this.#block.set(chunk, this.#length)
    this.#length = length
  }

  bytes(): Uint8Array {
    return this.#block.subarray(0, this.#length)
  }

  source(trailers: readonly string[] | null): BodySource {
    const start = (sink: BodySink) => {
      if (this.#length > 0) sink.write(this.bytes())
      sink.end(trailers)
    }
    return { start, resume: () => undefined, cancel: () => undefined }
  }

  dispose(): void {
    this.#block = Buffer.alloc(0)
    this.#length = 0
  }
}
