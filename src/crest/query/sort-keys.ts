import { compareNumbers, JsonNumber, type JsonValue, type Numeric } from '#json'
import { formatQueryPointer, type Pointer, parseQueryPointer } from '../pointer.ts'

/** A field to sort by, and the direction. */
export interface SortKey {
  readonly pointer: Pointer
  readonly descending: boolean
}

/** Value of a sort key. Null is last in both directions. */
export type SortValue = string | Numeric | boolean | null

const MAX_SORT_KEYS = 32

/** Longer texts are compared by this prefix, so that a position fits into a cookie. */
export const SORTED_LENGTH = 256

/** Parses `[+|-]field[,[+|-]field...]`; returns an error message for invalid text. */
export function parseSortKeys(text: string): readonly SortKey[] | string {
  // A client that does not encode "+" sends a space.
  const parts = text.split(',', MAX_SORT_KEYS + 1)
  if (parts.length > MAX_SORT_KEYS) return `_sortKeys: at most ${MAX_SORT_KEYS} fields, got more`
  const keys: SortKey[] = []
  for (const part of parts) {
    const [, sign, field = ''] = /^([-+ ]?)(.*)$/s.exec(part) as RegExpExecArray
    const pointer = field === '' ? null : parseQueryPointer(field)
    if (pointer === null || pointer.length === 0) {
      return `_sortKeys: expected fields as JSON pointers, each with + or - before it or without, got ${JSON.stringify(part.slice(0, 40))}`
    }
    keys.push({ pointer, descending: sign === '-' })
  }
  return keys
}

/** Formats sort keys so that parsing gives the same ones. */
export function printSortKeys(keys: readonly SortKey[]): string {
  return keys.map(({ pointer, descending }) => `${descending ? '-' : '+'}${formatQueryPointer(pointer)}`).join(',')
}

/** Sort value of a field; the smallest element of a list. */
export function sortValue(value: JsonValue | undefined): SortValue {
  if (typeof value === 'string') return value.toLowerCase().slice(0, SORTED_LENGTH)
  if (typeof value === 'number' || typeof value === 'boolean' || value instanceof JsonNumber) return value
  if (!Array.isArray(value)) return null
  let smallest: SortValue = null
  for (const element of value) {
    const candidate = Array.isArray(element) ? null : sortValue(element)
    if (candidate !== null && (smallest === null || compareValues(candidate, smallest) < 0)) smallest = candidate
  }
  return smallest
}

/** Compares two lists of values by the keys. */
export function compareSortValues(a: readonly SortValue[], b: readonly SortValue[], keys: readonly SortKey[]): number {
  for (let at = 0; at < keys.length; at++) {
    const left = a[at] ?? null
    const right = b[at] ?? null
    if (left === null || right === null) {
      if (left !== right) return left === null ? 1 : -1
      continue
    }
    const order = compareValues(left, right)
    if (order !== 0) return keys[at]?.descending ? -order : order
  }
  return 0
}

/** Numbers that are no doubles are objects. */
const RANK: Readonly<Record<string, number>> = { boolean: 0, number: 1, object: 1, string: 2 }

function compareValues(a: NonNullable<SortValue>, b: NonNullable<SortValue>): number {
  const [left, right] = [RANK[typeof a] as number, RANK[typeof b] as number]
  if (left !== right) return left - right
  if (left === RANK['number']) return compareNumbers(a as Numeric, b as Numeric)
  if (a === b) return 0
  return a < b ? -1 : 1
}
