import { isPlainObject, JsonNumber, type JsonValue, setOwn } from '#json'

const MAX_DEPTH = 64

/** Copies a JSON value; throws for other values and for cycles. */
export function jsonCopy(value: unknown, depth = 0): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (value instanceof JsonNumber || (typeof value === 'number' && Number.isFinite(value))) return value
  if (depth >= MAX_DEPTH) throw new TypeError(`json value: nested more than ${MAX_DEPTH} levels deep`)
  if (Array.isArray(value)) return value.map((each) => jsonCopy(each, depth + 1))
  if (!isPlainObject(value))
    throw new TypeError(`json value: expected text, number, boolean, list or map, got ${typeof value}`)
  const copy: Record<string, JsonValue> = Object.create(null)
  for (const key of Object.keys(value)) setOwn(copy, key, jsonCopy(value[key], depth + 1))
  return copy
}
