import { parseUniqueJson } from './parse.ts'
import { isPlainObject, type JsonObject } from './value.ts'

const MAX_DEPTH = 64
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true })

/** The JSON object in the body of a response of a peer; null for anything else, and for a member that is given twice. */
export function jsonObjectIn(bytes: Uint8Array): JsonObject | null {
  try {
    const value = parseUniqueJson(STRICT_UTF8.decode(bytes), { depth: MAX_DEPTH })
    return isPlainObject(value) ? (value as JsonObject) : null
  } catch {
    return null
  }
}
