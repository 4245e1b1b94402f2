import { type Exposure, exposed } from '#expression'
import { isPlainObject, JsonNumber } from '#json'

const DEEPEST = 16

/** A value of an expression as JSON; of host objects only the exposed members. */
export function plainValue(value: unknown, depth = 0): unknown {
  if (value === undefined || depth > DEEPEST) return null
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value) || value instanceof Set) return [...value].map((item) => plainValue(item, depth + 1))
  const exposure = (value as { [exposed]?: Exposure<unknown> })[exposed]
  if (exposure !== undefined) return shownValue(value, exposure, depth)
  const entries = value instanceof Map ? [...value] : isPlainObject(value) ? Object.entries(value) : []
  return plainEntries(entries, depth)
}

/** Name of the type of a value in expressions. */
export function valueType(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'bigint' || value instanceof JsonNumber) return 'number'
  if (typeof value !== 'object') return typeof value
  if (Array.isArray(value) || value instanceof Set) return 'list'
  return (value as { [exposed]?: Exposure<unknown> })[exposed]?.kind ?? 'map'
}

/** The entries of a map, otherwise the text of the object, otherwise its properties. */
function shownValue(host: object, exposure: Exposure<unknown>, depth: number): unknown {
  const { keys, index, call, value, get = {} } = exposure
  if (keys !== undefined && index !== undefined) {
    return plainEntries(
      [...keys(host)].map((key) => [key, index(host, key)]),
      depth,
    )
  }
  if (value !== undefined) return plainValue(value(host), depth + 1)
  const text = call?.['toString']?.(host)
  if (typeof text === 'string') return text
  return plainEntries(
    Object.entries(get).map(([name, read]) => [name, attempted(() => read(host))]),
    depth,
  )
}

/** Null for a property that can not be read, such as the JSON of an entity that is not JSON. */
function attempted(read: () => unknown): unknown {
  try {
    return read()
  } catch {
    return null
  }
}

function plainEntries(entries: readonly (readonly [unknown, unknown])[], depth: number): Record<string, unknown> {
  return Object.fromEntries(entries.map(([key, item]) => [String(key), plainValue(item, depth + 1)]))
}
