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

/**
 * Strict JSON (RFC 8259) for message bodies: the engine's own parser behind a depth check. `__proto__` becomes
 * an own key, as JSON.parse does it.
 */
export function parseJson(text: string, maxDepth: number = DEFAULT_MAX_DEPTH): JsonValue {
  checkDepth(text, maxDepth)
  try {
    return JSON.parse(text) as JsonValue
  } catch (error) {
    const at = /position (\d+)/.exec((error as Error).message)
    throw new JsonSyntaxError('not valid JSON', text, at ? Number(at[1]) : text.length)
  }
}

function checkDepth(text: string, maxDepth: number): void {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) {
      at = endOfString(text, at)
    } else if (unit === 0x5b || unit === 0x7b) {
      if (++depth > maxDepth) throw new JsonSyntaxError(`nested more than ${maxDepth} levels deep`, text, at)
    } else if (unit === 0x5d || unit === 0x7d) depth--
  }
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) return at
    if (unit === 0x5c) at++
  }
  return text.length
}
