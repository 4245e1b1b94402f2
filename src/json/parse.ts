import { type JsonLimits, measureJson } from './measure.ts'
import type { JsonValue } from './value.ts'

/** Deeper text is refused: every reader of the value may recurse into it. */
export const DEFAULT_MAX_DEPTH = 256

/** JSON text that can not be read, with the place where reading stopped. */
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

/** JSON text that is deeper or holds more than it may. */
export class JsonLimitError extends JsonSyntaxError {
  readonly limit: keyof JsonLimits

  constructor(limit: keyof JsonLimits, reason: string, text: string, offset: number) {
    super(reason, text, offset)
    this.limit = limit
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

/** Limits of a text that a peer sends; both can be set lower, or higher where the sender is trusted. */
const DEFAULT_LIMITS: JsonLimits = { depth: DEFAULT_MAX_DEPTH, values: Number.POSITIVE_INFINITY }

/**
 * Strict JSON (RFC 8259) for message bodies: the engine's own parser behind a check of depth and number of values.
 * `__proto__` becomes an own key, as JSON.parse does it.
 */
export function parseJson(text: string, limits?: Partial<JsonLimits>): JsonValue {
  checkJson(text, limits)
  try {
    return JSON.parse(text) as JsonValue
  } catch (error) {
    const at = /position (\d+)/.exec((error as Error).message)
    throw new JsonSyntaxError('not valid JSON', text, at ? Number(at[1]) : text.length)
  }
}

/** Throws a JsonLimitError for a text that is deeper or holds more than it may, before anything is made of it. */
export function checkJson(text: string, limits?: Partial<JsonLimits>): void {
  const { excess } = measureJson(text, limits === undefined ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, ...limits })
  if (excess !== null) throw new JsonLimitError(excess.limit, excess.reason, text, excess.at)
}
