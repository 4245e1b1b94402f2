import { JsonNumber, type JsonValue } from '#json'
import { PatchError } from './operation.ts'

const MAX_WEIGHT = 200_000
const MAX_DEPTH = 256

/** So many characters of a text are as much work as one value. */
const CHARACTERS = 32

/**
 * Bounds what the operations of one patch put into a resource or go through. A list that is copied into itself doubles
 * each time, so that a short patch could otherwise fill all memory or take for ever (threats B79).
 */
export class WeightLimit {
  #left = MAX_WEIGHT

  /** Takes a value into account that goes in at some depth; throws where the bounds are passed. */
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

  /** Takes the characters of a text into account. */
  text(text: string): void {
    this.spend(Math.floor(text.length / CHARACTERS))
  }

  /** Counts operations on this many values. */
  spend(weight: number): void {
    this.#left -= weight
    if (this.#left < 0) throw new PatchError('the patch adds or goes through too much; split it')
  }
}
