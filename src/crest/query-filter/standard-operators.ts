import { compareNumbers, JsonNumber, type JsonValue } from '#json'
import type { Assertion } from './filter.ts'

/** Result of an operator for one value; undefined where unknown. */
export type Comparison = (value: JsonValue) => boolean | undefined

/** The comparison of a standard operator; null for others. Texts are compared case-insensitively. */
export function standardComparison(operator: string, assertion: Assertion): Comparison | null {
  if (typeof assertion === 'string' && (operator === 'co' || operator === 'sw')) {
    const part = assertion.toLowerCase()
    return operator === 'co'
      ? (value) => typeof value === 'string' && value.toLowerCase().includes(part)
      : (value) => typeof value === 'string' && value.toLowerCase().startsWith(part)
  }
  const order = orderTo(assertion)
  switch (operator) {
    case 'eq':
    // A value that is no text contains, and starts with, itself only.
    case 'co':
    case 'sw':
      return (value) => order(value) === 0
    case 'lt':
      return (value) => (order(value) ?? 0) < 0
    case 'le':
      return (value) => (order(value) ?? 1) <= 0
    case 'gt':
      return (value) => (order(value) ?? 0) > 0
    case 'ge':
      return (value) => (order(value) ?? -1) >= 0
    default:
      return null
  }
}

/** Compares values with an assertion of the same type; null where the types differ. */
function orderTo(assertion: Assertion): (value: JsonValue) => number | null {
  if (typeof assertion === 'string') {
    const lower = assertion.toLowerCase()
    return (value) => (typeof value === 'string' ? sign(value.toLowerCase(), lower) : null)
  }
  if (typeof assertion === 'boolean') {
    return (value) => (typeof value === 'boolean' ? Number(value) - Number(assertion) : null)
  }
  return (value) => (typeof value === 'number' || value instanceof JsonNumber ? compareNumbers(value, assertion) : null)
}

function sign(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
