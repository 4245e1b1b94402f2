import type { Node } from 'jsonc-parser'

/** A number of JSON whose text is another one than that of its JavaScript number. JSON.stringify gives the text. */
interface ExactNumber {
  readonly rawJSON: string
}

/** Of ECMAScript's JSON.parse source text access, which TypeScript does not know; absent in older browsers. */
const { rawJSON, isRawJSON } = JSON as Partial<{
  rawJSON(text: string): ExactNumber
  isRawJSON(value: unknown): value is ExactNumber
}>

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

export function isExactNumber(value: unknown): value is ExactNumber {
  return isRawJSON?.(value) ?? false
}

/** A number of JSON, so that it is written as it was read: 9007199254740993 and 1.50 are no JavaScript numbers. */
export function numberOf(source: string): number | ExactNumber {
  const number = Number(source)
  return rawJSON === undefined || String(number) === source || !NUMBER.test(source) ? number : rawJSON(source)
}

/** JSON.parse with exact numbers. */
export function parseExact(text: string): unknown {
  // Browsers without the source of a value have no exact numbers either.
  const revive = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? numberOf(context.source) : value
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown)
}

/** The value of a syntax tree, with exact numbers. Of members with the same name, the last counts. */
export function exactValue(text: string, { type, value, children = [], offset, length }: Node): unknown {
  if (type === 'array') return children.map((child) => exactValue(text, child))
  if (type === 'number') return numberOf(text.slice(offset, offset + length))
  if (type !== 'object') return value
  const object = Object.create(null) as Record<string, unknown>
  for (const { children: [key, member] = [] } of children) {
    if (key !== undefined && member !== undefined) object[key.value as string] = exactValue(text, member)
  }
  return object
}
