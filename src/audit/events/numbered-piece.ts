import { MAX_TEXT, NOT_WRITTEN, writeAscii, writeBytes, writeDecimal, writeDigits } from './text-bytes.ts'

const NOTHING = Buffer.alloc(0)
/** Digits of a 32-bit integer, whatever they are: only the last ones of a longer number are written again. */
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
  /** Digits that are written again. */
  #digits = 0
  /** What the other digits say: 0 without others. */
  #base = 0
  /** Range of what is added to it; empty while there are no bytes of these texts. */
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
    const added = number - this.#base
    const isAlike = (added | 0) === added && added >= this.#least && added <= this.#most
    if (!isAlike) return this.#writeAgain(memory, at, number)
    writeDigits(this.#bytes, this.#lastDigit, this.#digits, added)
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

  /** The same texts with a number of another length, or with other digits before those that are written again. */
  #writeAgain(memory: Buffer, at: number, number: number): number {
    const end = this.#writeTexts(memory, at, number)
    if (end === NOT_WRITTEN || end - at > MAX_TEXT) return end
    const { length } = String(number)
    this.#bytes = Uint8Array.prototype.slice.call(memory, at, end)
    this.#lastDigit = this.#texts[0].length + length - 1
    this.#digits = Math.min(length, MAX_DIGITS)
    this.#most = 10 ** this.#digits - 1
    this.#base = number - (number % (this.#most + 1))
    this.#least = length === 1 || this.#base > 0 ? 0 : 10 ** (length - 1)
    return end
  }
}
