const NONE = Buffer.alloc(0)

/** Bytes of a connection that wait to be parsed. */
export class ReceivedBytes {
  #first: Buffer = NONE
  #at = 0
  #rest: Buffer[] = []
  /** Number of bytes. */
  size = 0

  get isEmpty(): boolean {
    return this.size === 0
  }

  /** The first buffer; parsed up to `at`. */
  get first(): Buffer {
    return this.#first
  }

  get at(): number {
    return this.#at
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return
    if (this.size > 0) this.#rest.push(chunk)
    else this.#first = chunk
    this.size += chunk.length
  }

  /** The first buffer was parsed up to `at`. */
  consume(at: number): void {
    this.size -= at - this.#at
    this.#at = at
    if (at < this.#first.length) return
    this.#first = this.#rest.shift() ?? NONE
    this.#at = 0
  }

  /** Removes all bytes. */
  take(): Buffer {
    const all = [this.#first.subarray(this.#at), ...this.#rest]
    this.clear()
    return all.length === 1 ? all[0]! : Buffer.concat(all)
  }

  clear(): void {
    this.#first = NONE
    this.#at = 0
    this.#rest = []
    this.size = 0
  }
}
