import { types } from 'node:util'
import { ClaimsSet } from '#contracts'
import { isPlainObject, JsonNumber, type JsonObject, type JsonValue, setOwn } from '#json'

const MAX_DEPTH = 32

/** Claims from the values of expressions. Throws a TypeError for a value that JSON can not represent. */
export function claimsFrom(value: unknown): JsonObject {
  const claims = jsonOf(value, 'template', 0)
  if (isPlainObject(claims)) return claims as JsonObject
  throw new TypeError(`template: expected a map of claims, got ${value === null ? 'null' : typeof value}`)
}

/** Sets become lists, as scopes are sets; objects that are not data are rejected. */
function jsonOf(value: unknown, path: string, depth: number): JsonValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (value instanceof JsonNumber || (typeof value === 'number' && Number.isFinite(value))) return value
  if (depth >= MAX_DEPTH) throw new TypeError(`${path}: nested more than ${MAX_DEPTH} levels deep`)
  if (Array.isArray(value) || types.isSet(value)) {
    return [...value].map((each, at) => jsonOf(each, `${path}/${at}`, depth + 1))
  }
  if (value instanceof ClaimsSet) return value.values
  const entries = types.isMap(value) ? [...value] : isPlainObject(value) ? Object.entries(value) : null
  if (entries === null) throw new TypeError(`${path}: expected data that JSON can hold, got ${typeof value}`)
  const result: JsonObject = {}
  for (const [key, each] of entries) setOwn(result, String(key), jsonOf(each, `${path}/${String(key)}`, depth + 1))
  return result
}
