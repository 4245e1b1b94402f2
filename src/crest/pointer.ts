import { formatPointer, isPlainObject, type JsonObject, type JsonValue } from '#json'

/** The tokens of a JSON pointer; empty for the whole resource. */
export type Pointer = readonly string[]

/** Deeper pointers match nothing: no body is nested further. */
const MAX_POINTER_TOKENS = 256

/**
 * Parses a JSON pointer (RFC 6901) with or without its leading slash; a trailing slash is dropped. Null for invalid text:
 * `~` is allowed only in `~0` and `~1`.
 */
export function parseFieldPointer(text: string): Pointer | null {
  const rest = text.startsWith('/') ? text.slice(1) : text
  if (rest === '') return []
  const tokens = (rest.endsWith('/') ? rest.slice(0, -1) : rest).split('/')
  if (tokens.length > MAX_POINTER_TOKENS || tokens.some((token) => /~(?![01])/.test(token))) return null
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/**
 * Parses a pointer of a query: as above, and percent-encoded once more (RFC 6901 section 6), so that names can contain the
 * characters that end a word of a filter or an item of a list.
 */
export function parseQueryPointer(text: string): Pointer | null {
  if (!text.includes('%')) return parseFieldPointer(text)
  try {
    return parseFieldPointer(decodeURIComponent(text))
  } catch {
    return null
  }
}

/** Formats a pointer so that `parseQueryPointer` returns the same one, with any names. */
export function formatQueryPointer(pointer: Pointer): string {
  if (pointer.length === 0) return '/'
  // An empty last name would be dropped as trailing slash: `//` preserves it.
  const text = formatPointer(pointer) + (pointer.at(-1) === '' ? '/' : '')
  return text.replace(/[^!#$&*+./0-9:;<=>?@A-Z[\]^_`a-z{|}~-]/gu, percent)
}

function percent(character: string): string {
  return character.isWellFormed() ? encodeURIComponent(character).replace(/[()',"]/g, hex) : character
}

function hex(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/** The value of a pointer, or undefined. Own members only (threats B76). */
export function valueAt(resource: JsonValue, pointer: Pointer): JsonValue | undefined {
  let value: JsonValue | undefined = resource
  for (const token of pointer) {
    value = memberOf(value, token)
    if (value === undefined) return undefined
  }
  return value
}

/** A member of an object or an element of an array. */
export function memberOf(value: JsonValue, token: string): JsonValue | undefined {
  if (Array.isArray(value)) {
    const index = arrayIndex(token)
    return index === null ? undefined : value[index]
  }
  return isPlainObject(value) && Object.hasOwn(value, token) ? (value as JsonObject)[token] : undefined
}

/** The index of an element, or null: no signs, no leading zeros (RFC 6901 section 4). */
export function arrayIndex(token: string): number | null {
  return /^(?:0|[1-9]\d{0,8})$/.test(token) ? Number(token) : null
}
