/** Missing in the types of TypeScript: `JSON.rawJSON`, text that JSON.stringify writes unchanged. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/**
 * A number of JSON text that a double would change, in value or in spelling: `9007199254740993`, `1.0`, `1e400`; see
 * `jsonNumber`. All other numbers are doubles. Immutable; it prints and serialises as written.
 */
export class JsonNumber {
  /** As in the JSON text. */
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
 * The number of a JSON literal: a double where that prints as the same text. Integers beyond 2^53 are never doubles, also those
 * that a double represents exactly, since their neighbours are not.
 */
export function jsonNumber(text: string): number | JsonNumber {
  const value = Number(text)
  if (String(value) !== text) return new JsonNumber(text)
  const isLong = Number.isInteger(value) && !Number.isSafeInteger(value) && !text.includes('e')
  return isLong ? new JsonNumber(text) : value
}

/** The nearest double of a number; null for other values. For times, counts and sizes. */
export function numberValue(value: unknown): number | null {
  if (typeof value === 'number') return value
  return value instanceof JsonNumber ? value.valueOf() : null
}

/** Whether a number with an exponent exceeds the range of doubles: most parsers would read it as infinity. */
export function exceedsDoubleRange(value: number | JsonNumber): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  return !value.isInteger && !Number.isFinite(value.valueOf())
}
