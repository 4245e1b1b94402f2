import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import { jsonText } from '#logging'
import { FormulaProtection } from './formulas.ts'

/** How rows are written. */
interface CsvFormatting {
  readonly quoteChar: string
  readonly delimiterChar: string
  /** Whether text that a spreadsheet would evaluate is changed. */
  readonly formulaProtection: boolean
  /** Whether the columns of tamper evidence are added to the header. */
  readonly isChained: boolean
}

/** Columns that hold the chain of a tamper-evident file. */
const CHAIN_COLUMNS = ['HMAC', 'SIGNATURE']

/** Events of a topic as rows. */
interface CsvRows {
  /** The row with the names of the columns. */
  readonly header: string
  row(event: JsonObject): string
}

type Path = readonly string[]

const MAX_DEPTH = 8

/**
 * Rows with a column for each value that the schema of a topic describes, named by its path (`http.request.method`). Objects
 * with members that the schema does not name, and lists, are JSON text in one cell. All cells are quoted; a row is always one line.
 */
export function csvRows(schema: JsonObject, formatting: CsvFormatting): CsvRows {
  const columns = columnsOf(schema)
  const { delimiterChar, isChained } = formatting
  const protection = formatting.formulaProtection ? new FormulaProtection(formatting) : null
  const names = columns.map((path) => path.join('.'))
  const header = [...names, ...(isChained ? CHAIN_COLUMNS : [])].map((name) => quoted(name, formatting))
  return {
    header: header.join(delimiterChar),
    row: (event) => columns.map((path) => cell(valueAt(event, path), formatting, protection)).join(delimiterChar),
  }
}

/** `_id` is first, whatever the order of the schema. */
function columnsOf(schema: JsonObject): readonly Path[] {
  const found = pathsBelow(schema, [])
  const others = found.filter(([name]) => name !== '_id')
  return [['_id'], ...others]
}

function pathsBelow(schema: JsonValue | undefined, path: Path): readonly Path[] {
  const { properties, additionalProperties: additional = false } = (isPlainObject(schema) ? schema : {}) as JsonObject
  if (!isPlainObject(properties) || (additional !== false && path.length > 0) || path.length === MAX_DEPTH)
    return path.length === 0 ? [] : [path]
  return Object.entries(properties as JsonObject).flatMap(([name, member]) => pathsBelow(member, [...path, name]))
}

function valueAt(event: JsonObject, path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = event
  for (const name of path) {
    if (!isPlainObject(value) || !Object.hasOwn(value, name)) return undefined
    value = (value as JsonObject)[name]
  }
  return value
}

function cell(value: JsonValue | undefined, formatting: CsvFormatting, protection: FormulaProtection | null): string {
  if (value === undefined || value === null) return ''
  // Numbers and booleans are no formulas, also negative ones.
  if (typeof value === 'number' || typeof value === 'boolean') return quoted(String(value), formatting)
  if (typeof value === 'string') return quoted(protection?.text(value) ?? value, formatting)
  const json = jsonText(value)
  return quoted(protection?.json(json) ?? json, formatting)
}

/** A quote in a cell is doubled. Characters that end a line or move a terminal are escaped as in JSON (threats B87). */
function quoted(text: string, { quoteChar }: CsvFormatting): string {
  return `${quoteChar}${escapedText(text).replaceAll(quoteChar, `${quoteChar}${quoteChar}`)}${quoteChar}`
}

function escapedText(text: string): string {
  if (!UNSAFE.test(text)) return text
  return text.replace(UNSAFE_PARTS, (part) => jsonText(part).slice(1, -1))
}

const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/u
const UNSAFE_PARTS = new RegExp(UNSAFE.source, 'gu')

interface FormattingProblem {
  readonly field: 'quoteChar' | 'delimiterChar'
  readonly message: string
}

/** Why characters can not format CSV; null where they can. */
export function formattingProblem(quoteChar: string, delimiterChar: string): FormattingProblem | null {
  const isUsable = (text: string): boolean => /^[!-~\t]$/.test(text) && !/[A-Za-z0-9._=%+@-]/.test(text)
  const expected = (example: string) => `expected one character such as ${example}, no letter or digit`
  if (!isUsable(quoteChar)) return { field: 'quoteChar', message: expected('"') }
  if (!isUsable(delimiterChar)) return { field: 'delimiterChar', message: expected(', or ; or a tab') }
  if (quoteChar !== delimiterChar) return null
  return { field: 'delimiterChar', message: 'expected another character than quoteChar' }
}
