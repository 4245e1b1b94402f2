import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { isPlainObject, JsonSyntaxError, type JsonValue, parsePointer, readDocument } from '#json'
import { UNKNOWN_MEMBER } from '#schema'
import type { LocatedProblem } from '../problems.ts'

/** A reason for which files do not load. */
interface Cause {
  readonly cause: string
  readonly files: readonly string[]
}

/** The causes of problems with the files that each of them stops, most files first. */
export function causesOf(problems: readonly LocatedProblem[]): Cause[] {
  const documents = new Map<string, JsonValue>()
  const byCause = new Map<string, Set<string>>()
  for (const problem of problems) {
    const { file } = problem
    if (!documents.has(file)) documents.set(file, parsedFile(file))
    const cause = causeOf(problem, documents.get(file) as JsonValue)
    byCause.set(cause, (byCause.get(cause) ?? new Set()).add(file))
  }
  const causes = [...byCause].map(([cause, files]) => ({ cause, files: [...files].sort() }))
  return causes.sort((a, b) => b.files.length - a.files.length || (a.cause < b.cause ? -1 : 1))
}

/** The value of a file; null for one that can not be read or parsed, which is a cause of its own. */
function parsedFile(file: string): JsonValue {
  try {
    return readDocument(readFileSync(file, 'utf8')).value
  } catch (error) {
    if (error instanceof JsonSyntaxError || (error as NodeJS.ErrnoException).code !== undefined) return null
    throw error
  }
}

/** The problem without the parts that differ from file to file: positions, names of objects and given values. */
function causeOf({ file, pointer, message }: LocatedProblem, document: JsonValue): string {
  const type = /^(?:unknown|unsupported) type "[^"]*"/.exec(message)
  if (type !== null) return type[0]
  const [reason = message] = message.split(/: |, got |; did you mean/)
  if (pointer === '') return reason
  const { owner, field } = placeOf(pointer, document)
  const where = owner ?? (/^(?:admin|config)\.json$/.test(basename(file)) ? basename(file) : 'a route')
  if (message.startsWith(UNKNOWN_MEMBER)) return `${UNKNOWN_MEMBER} ${JSON.stringify(field)} of ${where}`
  return field === '' ? `${where}: ${message.replace(/"[^"]*"/g, '"..."')}` : `${field} of ${where}: ${reason}`
}

/** The type of the innermost object that a pointer leads through, and the field in its configuration. */
function placeOf(pointer: string, document: JsonValue): { owner: string | null; field: string } {
  let owner: string | null = null
  let field: string[] = []
  let value: unknown = document
  for (const part of parsePointer(pointer) ?? []) {
    if (isPlainObject(value) && typeof value['type'] === 'string') {
      owner = value['type']
      field = []
    }
    field.push(Array.isArray(value) ? '*' : part)
    value = isPlainObject(value) || Array.isArray(value) ? (value as Record<string, unknown>)[part] : undefined
  }
  if (isPlainObject(value) && typeof value['type'] === 'string') return { owner: value['type'], field: '' }
  if (field[0] === 'config') field.shift()
  return { owner, field: field.join('.') }
}
