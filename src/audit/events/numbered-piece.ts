import { MAX_TEXT, NOT_WRITTEN, writeAscii, writeBytes, writeDecimal, writeDigits } from './text-bytes.ts'

const NOTHING = Buffer.alloc(0)
/** Numbers with more digits are written each time. */
const MAX_DIGITS = 9

/** The texts before and after a number. */
type TextsAround = readonly [before: string, after: string]

/**
 * A number between two texts, which are made of three values, at first of those given. Most events repeat the values of the one before
 * and have a number with as many digits: the bytes are kept as soon as they are written again, and only the digits change.
 */
export class NumberedPiece<A, B = null, C = null> {
  readonly #make: (a: A, b: B, c: C) => TextsAround
  #a: A
  #b: B
  #c: C
  #texts: TextsAround
  /** Of the texts, and a number within the range below. */
  #bytes: Uint8Array = NOTHING
  #lastDigit = 0
  /** Range of the numbers with as many digits; empty while there are no bytes of these texts. */
  #least = 0
  #most = -1

  constructor(make: (a: A, b: B, c: C) => TextsAround, a: NoInfer<A>, b: NoInfer<B>, c: NoInfer<C>) {
    this.#make = make
    this.#a = a
    this.#b = b
    this.#c = c
    this.#texts = make(a, b, c)
  }

  /** Writes the piece at a position; returns the position after it, or NOT_WRITTEN: where a text is too long or not ASCII, for example. */
  write(memory: Buffer, at: number, number: number, a: A, b: B, c: C): number {
    if (a !== this.#a || b !== this.#b || c !== this.#c) return this.#writeOther(memory, at, number, a, b, c)
    const isAsLong = (number | 0) === number && number >= this.#least && number <= this.#most
    if (!isAsLong) return this.#writeAgain(memory, at, number)
    writeDigits(this.#bytes, this.#lastDigit, number)
    return writeBytes(memory, at, this.#bytes)
  }

  #writeOther(memory: Buffer, at: number, number: number, a: A, b: B, c: C): number {
    this.#most = -1
    this.#texts = this.#make(a, b, c)
    this.#a = a
    this.#b = b
    this.#c = c
    return this.#writeTexts(memory, at, number)
  }

  #writeTexts(memory: Buffer, at: number, number: number): number {
    const [before, after] = this.#texts
    return writeAscii(memory, writeDecimal(memory, writeAscii(memory, at, before), number), after)
  }

  /** The same texts with a number of another length. */
  #writeAgain(memory: Buffer, at: number, number: number): number {
    const end = this.#writeTexts(memory, at, number)
    const digits = String(number).length
    if (end === NOT_WRITTEN || digits > MAX_DIGITS || end - at > MAX_TEXT) return end
    this.#bytes = Uint8Array.prototype.slice.call(memory, at, end)
    this.#lastDigit = this.#texts[0].length + digits - 1
    this.#least = digits === 1 ? 0 : 10 ** (digits - 1)
    this.#most = 10 ** digits - 1
    return end
  }
}
