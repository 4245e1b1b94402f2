import { JsonNumber } from './number.ts'
import type { JsonValue } from './value.ts'

/** The same text for equal content: keys sorted by code unit, no white space, numbers as written. Input of revision hashes. */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as JsonValue)}`)
  return `{${members.join(',')}}`
}
