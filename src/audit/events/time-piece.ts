import { isoTime } from './iso-time.ts'
import { NOT_WRITTEN, writeBytes } from './text-bytes.ts'

const SECOND = 1_000
const DIGIT_0 = 0x30
/** The digits of milliseconds, and the Z after them. */
const REST = '000Z'.length

/** Writes times between two texts. The bytes of a time up to its second are kept: events come many to a second. */
export class TimePiece {
  readonly #before: string
  readonly #after: Uint8Array
  #second = Number.NaN
  #bytes: Uint8Array

  constructor(before: string, after: string) {
    this.#before = before
    this.#after = Buffer.from(`Z${after}`)
    this.#bytes = Buffer.alloc(0)
  }

  /** The texts of both sides are ASCII. */
  write(memory: Buffer, at: number, milliseconds: number): number {
    if (at < 0 || !(milliseconds >= 0)) return NOT_WRITTEN
    const second = Math.floor(milliseconds / SECOND)
    if (second !== this.#second) this.#change(second)
    const rest = (milliseconds - second * SECOND) | 0
    const tens = (rest / 10) | 0
    const hundreds = (rest / 100) | 0
    const digits = writeBytes(memory, at, this.#bytes)
    memory[digits] = DIGIT_0 + hundreds
    memory[digits + 1] = DIGIT_0 + tens - 10 * hundreds
    memory[digits + 2] = DIGIT_0 + rest - 10 * tens
    return writeBytes(memory, digits + 3, this.#after)
  }

  #change(second: number): void {
    this.#second = second
    this.#bytes = Buffer.from(`${this.#before}${isoTime(second * SECOND).slice(0, -REST)}`)
  }
}
