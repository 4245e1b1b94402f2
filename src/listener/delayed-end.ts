import type { ResponseTarget } from './response-writer.ts'

interface Delay {
  /** What the end waits for, called once; null for an end without delay. Never rejects. */
  until(): Promise<void> | null
  /** Whether the request has ended meanwhile. */
  isEnded(): boolean
}

/** Delays the last bytes of a response, so that the client never has all of it before something else is done. */
export class DelayedEnd implements ResponseTarget {
  readonly #target: ResponseTarget
  readonly #length: number | null
  readonly #delay: Delay
  #written = 0
  /** The bytes that complete a body of known length. */
  #last: Uint8Array | undefined

  constructor(target: ResponseTarget, length: number | null, delay: Delay) {
    this.#target = target
    this.#length = length
    this.#delay = delay
  }

  get chunkedEncoding(): boolean {
    return this.#target.chunkedEncoding
  }

  write(chunk: Uint8Array): boolean {
    this.#written += chunk.length
    if (this.#written !== this.#length) return this.#target.write(chunk)
    this.#last = chunk
    return true
  }

  end(content: string | Uint8Array | undefined = this.#last, encoding?: BufferEncoding): void {
    const delay = this.#delay.until()
    if (delay === null) {
      this.#target.end(content, encoding)
      return
    }
    void delay.then(() => {
      if (!this.#delay.isEnded()) this.#target.end(content, encoding)
    })
  }

  once(event: 'drain', listener: () => void): void {
    this.#target.once(event, listener)
  }

  addTrailers(pairs: readonly [string, string][]): void {
    this.#target.addTrailers(pairs)
  }
}
