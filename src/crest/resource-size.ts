import { JsonNumber, type JsonValue } from '#json'

/** Larger bodies are 413 (spec gap 30). */
export const MAX_BODY_BYTES = 1024 * 1024

/** More values are refused before anything is made of them: objects of very many members are slow to work with. */
export const MAX_VALUES = 10_000

/** How much there is in a value. */
export class ResourceSize {
  values = 0
  characters = 0

  constructor(value: JsonValue) {
    this.#add(value)
  }

  /** Whether it is more than a body may hold. */
  get isTooLarge(): boolean {
    return this.values > MAX_VALUES || this.characters > MAX_BODY_BYTES
  }

  /** Whether there is more of anything in it than in another. */
  exceeds({ values, characters }: ResourceSize): boolean {
    return this.values > values || this.characters > characters
  }

  #add(value: JsonValue): void {
    this.values++
    if (typeof value === 'string' || value instanceof JsonNumber) this.characters += String(value).length
    if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return
    if (Array.isArray(value)) {
      for (const element of value) this.#add(element)
      return
    }
    for (const [name, member] of Object.entries(value)) {
      this.characters += name.length
      this.#add(member)
    }
  }
}
