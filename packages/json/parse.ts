import { type JsonLimits, type JsonMeasure, measureJson } from './measure.ts'
import { jsonNumber } from './number.ts'
import { countMembers, type JsonValue } from './value.ts'

/** Deeper text is rejected: code that reads the value may recurse. */
export const DEFAULT_MAX_DEPTH = 256

/** Invalid JSON text, with the position of the error. */
export class JsonSyntaxError extends Error {
  readonly code = 'GW_JSON_SYNTAX'
  readonly offset: number
  readonly line: number
  readonly column: number

  constructor(reason: string, text: string, offset: number) {
    const { line, column } = positionAt(text, offset)
    super(`line ${line}, column ${column}: ${reason}`)
    this.name = 'JsonSyntaxError'
    this.offset = offset
    this.line = line
    this.column = column
  }
}

/** JSON text that exceeds a limit of depth, of number of values, or of the digits of a number. */
export class JsonLimitError extends JsonSyntaxError {
  readonly limit: keyof JsonLimits
  readonly reason: string

  constructor(limit: keyof JsonLimits, reason: string, text: string, offset: number) {
    super(reason, text, offset)
    this.limit = limit
    this.reason = reason
  }
}

/** JSON text with a duplicate member; `readDocument` names it. */
export class DuplicateMemberError extends JsonSyntaxError {
  constructor(text: string) {
    super('a member is given twice', text, 0)
  }
}

/** Line and column (both from 1) of an offset. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  let line = 1
  let lineStart = 0
  for (let at = 0; at < offset && at < text.length; at++) {
    if (text.charCodeAt(at) !== 0x0a) continue
    line++
    lineStart = at + 1
  }
  return { line, column: offset - lineStart + 1 }
}

/** Default limits of a text from a peer. */
const DEFAULT_LIMITS: JsonLimits = { depth: DEFAULT_MAX_DEPTH, values: Number.POSITIVE_INFINITY }

/**
 * Strict JSON (RFC 8259) for message bodies: JSON.parse after a check of depth and number of values. Numbers that a
 * double would change stay as written. `__proto__` becomes an own key.
 */
export function parseJson(text: string, limits?: Partial<JsonLimits>): JsonValue {
  return parsed(text, checkJson(text, limits))
}

/** The same, but rejects duplicate members: another parser could use the other one. */
export function parseUniqueJson(text: string, limits?: Partial<JsonLimits>): JsonValue {
  const measure = checkJson(text, limits)
  const value = parsed(text, measure)
  // JSON.parse uses the last of two members of one name.
  if (countMembers(value) !== measure.members) throw new DuplicateMemberError(text)
  return value
}

function parsed(text: string, { mayHoldExactNumbers }: JsonMeasure): JsonValue {
  try {
    return mayHoldExactNumbers ? JSON.parse(text, revived) : JSON.parse(text)
  } catch (error) {
    const at = /position (\d+)/.exec((error as Error).message)
    throw new JsonSyntaxError('not valid JSON', text, at ? Number(at[1]) : text.length)
  }
}

/** Missing in the types of TypeScript: the third argument, with the source text of a primitive value. */
const revived = ((_key: string, value: unknown, { source }: { source: string }): unknown =>
  typeof value === 'number' ? jsonNumber(source) : value) as (key: string, value: unknown) => unknown

/** Measures a text before it is parsed. Throws JsonLimitError where it exceeds a limit. */
export function checkJson(text: string, limits?: Partial<JsonLimits>): JsonMeasure {
  const measure = measureJson(text, limits === undefined ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, ...limits })
  const { excess } = measure
  if (excess !== null) throw new JsonLimitError(excess.limit, excess.reason, text, excess.at)
  return measure
}
