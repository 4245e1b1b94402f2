import { JsonNumber, type JsonValue } from '#json'
import { PatchError } from './operation.ts'

const MAX_WEIGHT = 200_000
const MAX_DEPTH = 256

/** Characters of a text that count as one value. */
const CHARACTERS = 32

/**
 * Limits the values that the operations of one patch add or traverse. A list that is copied into itself doubles each time, so
 * that a short patch could otherwise exhaust memory or CPU (threats B79).
 */
export class WeightLimit {
  #left = MAX_WEIGHT

  /** Counts a value that is added at a depth; throws where a limit is exceeded. */
  add(value: JsonValue, depth: number): void {
    if (depth > MAX_DEPTH)
      throw new PatchError(`the patched resource would be nested more than ${MAX_DEPTH} levels deep`)
    this.spend(1)
    if (typeof value === 'string' || value instanceof JsonNumber) this.text(String(value))
    if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return
    if (Array.isArray(value)) for (const element of value) this.add(element, depth + 1)
    else {
      for (const [name, member] of Object.entries(value)) {
        this.text(name)
        this.add(member, depth + 1)
      }
    }
  }

  /** Counts the characters of a text. */
  text(text: string): void {
    this.spend(Math.floor(text.length / CHARACTERS))
  }

  /** Counts operations on this many values. */
  spend(weight: number): void {
    this.#left -= weight
    if (this.#left < 0) throw new PatchError('the patch adds or goes through too much; split it')
  }
}
