import { isPlainObject, type JsonObject, parseUniqueJson } from '#json'

const MAX_DEPTH = 64

/** The JSON object in the body of a response of a peer; null for anything else, and for a member that is given twice. */
export function jsonObjectIn(bytes: Uint8Array): JsonObject | null {
  try {
    const value = parseUniqueJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), { depth: MAX_DEPTH })
    return isPlainObject(value) ? (value as JsonObject) : null
  } catch {
    return null
  }
}
