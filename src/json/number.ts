/** What TypeScript does not know of the language yet: text that JSON.stringify writes as it stands. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/**
 * A number of JSON text that a double would change, in value or in spelling: `9007199254740993`, `1.0`, `1e400`; see
 * `jsonNumber`. All other numbers are doubles. It prints and is written as it was read, and never changes.
 */
export class JsonNumber {
  /** As it is written in JSON. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Whether it is written without fraction and exponent. */
  get isInteger(): boolean {
    return INTEGER.test(this.text)
  }

  /** The nearest double. */
  valueOf(): number {
    return Number(this.text)
  }

  toString(): string {
    return this.text
  }

  toJSON(): unknown {
    return rawJSON(this.text)
  }
}

const INTEGER = /^-?\d+$/

/**
 * The number that a text of JSON stands for: a double where that prints as the same text. Whole numbers beyond 2^53 are no
 * doubles at all, also those that one happens to hold: their neighbours are not.
 */
export function jsonNumber(text: string): number | JsonNumber {
  const value = Number(text)
  if (String(value) !== text) return new JsonNumber(text)
  const isLong = Number.isInteger(value) && !Number.isSafeInteger(value) && !text.includes('e')
  return isLong ? new JsonNumber(text) : value
}

/** The double of a number, the nearest one where none is the same; null for anything else. For times, counts and sizes. */
export function numberValue(value: unknown): number | null {
  if (typeof value === 'number') return value
  return value instanceof JsonNumber ? value.valueOf() : null
}

/** Whether a number written with an exponent is more than any double: most readers would make infinity of it. */
export function exceedsDoubleRange(value: number | JsonNumber): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  return !value.isInteger && !Number.isFinite(value.valueOf())
}
