import { MAX_TEXT, NOT_WRITTEN, writeAscii, writeBytes } from './text-bytes.ts'

const NOTHING = Buffer.alloc(0)

/**
 * A text made of three values, at first of those given. Most events repeat the values of the one before: the text is kept, as bytes as
 * soon as it is written again.
 */
export class LastPiece<A, B = null, C = null> {
  readonly #make: (a: A, b: B, c: C) => string
  #a: A
  #b: B
  #c: C
  #text: string
  /** Empty before the text is written again, and where it can not be. */
  #bytes: Uint8Array = NOTHING

  constructor(make: (a: A, b: B, c: C) => string, a: NoInfer<A>, b: NoInfer<B>, c: NoInfer<C>) {
    this.#make = make
    this.#a = a
    this.#b = b
    this.#c = c
    this.#text = make(a, b, c)
  }

  /** Writes the text at a position; returns the position after it, or NOT_WRITTEN where it is too long or not ASCII. */
  write(memory: Buffer, at: number, a: A, b: B, c: C): number {
    const isRepeated = a === this.#a && b === this.#b && c === this.#c
    if (isRepeated && this.#bytes.length > 0) return writeBytes(memory, at, this.#bytes)
    return isRepeated ? this.#writeAgain(memory, at) : this.#writeOther(memory, at, a, b, c)
  }

  #writeOther(memory: Buffer, at: number, a: A, b: B, c: C): number {
    this.#a = a
    this.#b = b
    this.#c = c
    this.#text = this.#make(a, b, c)
    this.#bytes = NOTHING
    return writeAscii(memory, at, this.#text)
  }

  #writeAgain(memory: Buffer, at: number): number {
    const bytes = Buffer.from(this.#text)
    if (bytes.length > MAX_TEXT || bytes.length !== this.#text.length) return NOT_WRITTEN
    this.#bytes = bytes
    return writeBytes(memory, at, bytes)
  }
}
