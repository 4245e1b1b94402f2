import { formatPointer, isPlainObject, type JsonObject, parsePointer } from '#json'

/** A field that events of a topic do not have. */
interface UnknownField {
  /** Up to the first name that is not known. */
  readonly pointer: string
  readonly name: string
  /** Names in its place. */
  readonly known: readonly string[]
}

/**
 * The first part of a pointer that no event of a schema can have; null where there may be one. Objects without listed properties, and
 * those with further ones, may have any. `ignoresCase` tells whether the names of an object are compared without case.
 */
export function unknownField(
  schema: JsonObject,
  pointer: string,
  ignoresCase: (object: string) => boolean,
): UnknownField | null {
  let at: JsonObject = schema
  const path: string[] = []
  for (const name of parsePointer(pointer) ?? []) {
    const object = formatPointer(path)
    path.push(name)
    if (at['type'] !== 'object') return { pointer: formatPointer(path), name, known: [] }
    const { properties, additionalProperties: further } = at
    const found = memberOf(properties, name, ignoresCase(object)) ?? further
    if (isPlainObject(found)) {
      at = found as JsonObject
      continue
    }
    if (properties === undefined || further === true) return null
    return { pointer: formatPointer(path), name, known: Object.keys(properties as JsonObject) }
  }
  return null
}

function memberOf(properties: unknown, name: string, ignoresCase: boolean): unknown {
  if (!isPlainObject(properties)) return undefined
  if (!ignoresCase) return Object.hasOwn(properties, name) ? properties[name] : undefined
  const found = Object.keys(properties).find((each) => each.toLowerCase() === name.toLowerCase())
  return found === undefined ? undefined : properties[found]
}
