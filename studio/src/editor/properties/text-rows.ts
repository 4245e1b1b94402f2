import { isObject } from '../../model/canvas-model.ts'

/** An entry of a map of texts while it is edited. */
export interface MapRow {
  readonly name: string
  readonly values: readonly string[]
  /** Whether the value is written as a list, also where it has one element. */
  readonly isList: boolean
}

/** Whether a form of rows can show a value without a loss: empty texts are rows that are not filled yet. */
export function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isFilled)
}

export function isMapOfTexts(value: unknown): value is Readonly<Record<string, string | readonly string[]>> {
  if (!isObject(value)) return false
  return Object.entries(value).every(
    ([name, item]) => name !== '' && (isFilled(item) || (isListOfTexts(item) && item.length > 0)),
  )
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

/** The list of the filled rows; undefined where there is none. */
export function listOf(rows: readonly string[]): readonly string[] | undefined {
  const filled = rows.filter((row) => row !== '')
  return filled.length === 0 ? undefined : filled
}

export function rowsOfMap(value: unknown): readonly MapRow[] {
  if (!isMapOfTexts(value)) return []
  return Object.entries(value).map(([name, item]) =>
    typeof item === 'string' ? { name, values: [item], isList: false } : { name, values: item, isList: true },
  )
}

/** The map of the rows with a name and a value; undefined where there is none. */
export function mapOf(rows: readonly MapRow[]): Readonly<Record<string, unknown>> | undefined {
  const entries = rows.flatMap(({ name, values, isList }): [string, unknown][] => {
    const filled = values.filter((value) => value !== '')
    if (name === '' || filled.length === 0) return []
    return [[name, isList || filled.length > 1 ? filled : filled[0]]]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** Whether a row has a name or a value, but not both. */
export function isHalfFilled({ name, values }: MapRow): boolean {
  return (name === '') !== values.every((value) => value === '')
}

/** A name that two rows have; null where each has its own. */
export function repeatedName(rows: readonly MapRow[]): string | null {
  const names = rows.map(({ name }) => name).filter((name) => name !== '')
  return names.find((name, index) => names.indexOf(name) !== index) ?? null
}
