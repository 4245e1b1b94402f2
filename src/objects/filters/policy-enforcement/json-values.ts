import { types } from 'node:util'
import { type Exposure, exposed } from '#expression'
import { isPlainObject, JsonNumber, type JsonObject, type JsonValue, jsonNumber, setOwn } from '#json'

const MAX_DEPTH = 32

/**
 * The value of an expression as JSON. Gateway objects such as headers and URIs become the map or text that expressions see. Throws for
 * any other object, rather than omitting it.
 */
export function jsonOf(value: unknown, depth = 0): JsonValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' || value instanceof JsonNumber) return value
  if (typeof value === 'bigint') return jsonNumber(String(value))
  if (typeof value !== 'object') throw new TypeError(`expected text, number, boolean, list or map, got ${typeof value}`)
  if (depth >= MAX_DEPTH) throw new TypeError(`expected a value of less than ${MAX_DEPTH} levels`)
  const exposure = (value as { readonly [exposed]?: Exposure<unknown> })[exposed]
  if (exposure !== undefined) return jsonOfExposed(exposure, value, depth)
  if (Array.isArray(value) || types.isSet(value)) return [...value].map((each) => jsonOf(each, depth + 1))
  if (types.isMap(value)) return jsonOfEntries(value as Map<string, unknown>, depth)
  if (isPlainObject(value)) return jsonOfEntries(Object.entries(value), depth)
  throw new TypeError('expected text, number, boolean, list or map, got an object')
}

function jsonOfExposed(exposure: Exposure<unknown>, self: object, depth: number): JsonValue {
  if (exposure.value !== undefined) return jsonOf(exposure.value(self), depth + 1)
  const { keys, index } = exposure
  if (keys !== undefined && index !== undefined)
    return jsonOfEntries(
      [...keys(self)].map((key) => [key, index(self, key)] as const),
      depth,
    )
  const text = exposure.call?.['toString']?.(self)
  if (typeof text === 'string') return text
  throw new TypeError(`expected text, number, boolean, list or map, got a ${exposure.kind}; name one of its properties`)
}

function jsonOfEntries(entries: Iterable<readonly [string, unknown]>, depth: number): JsonObject {
  const copy: Record<string, JsonValue> = Object.create(null)
  for (const [key, value] of entries) setOwn(copy, String(key), jsonOf(value, depth + 1))
  return copy
}
