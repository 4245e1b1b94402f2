import { JsonNumber, type JsonValue } from '#json'

/** Larger bodies get 413 (spec gap 30). */
export const MAX_BODY_BYTES = 1024 * 1024

/** Bodies with more values are rejected before parsing: objects with very many members are slow. */
export const MAX_VALUES = 10_000

/** Limits of a request body. */
export interface BodyLimits {
  readonly bytes: number
  readonly values: number
}

/** Those of an endpoint that names no others. */
export const BODY_LIMITS: BodyLimits = { bytes: MAX_BODY_BYTES, values: MAX_VALUES }

/** Number of values and characters in a JSON value. */
export class ResourceSize {
  values = 0
  characters = 0

  constructor(value: JsonValue) {
    this.#add(value)
  }

  /** Whether it exceeds the limits of a body. */
  get isTooLarge(): boolean {
    return this.values > MAX_VALUES || this.characters > MAX_BODY_BYTES
  }

  /** Whether any of its counts is larger than that of another. */
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
