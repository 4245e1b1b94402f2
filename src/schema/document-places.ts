import { formatPointer, isPlainObject, parsePointer } from '#json'
import { Deferred } from './deferred.ts'

/**
 * Members of an object that the document has under another name: the pointer in the current spelling, and the path in the document.
 * An old name may be that of a member of a member: `/cookie/name` is written as `cookieName`.
 */
export type DocumentPlaces = ReadonlyMap<string, DocumentPath>

type DocumentPath = readonly (string | number)[]

/** Names of an old spelling have two parts at most. */
const LONGEST_NAME = 2

/** Decoded objects have the current names only: where these differ from the document, its names are kept beside them. */
const PLACES = new WeakMap<object, DocumentPlaces>()

/** Keeps the places of the members of a decoded object. */
export function keepPlaces(decoded: object, places: DocumentPlaces): void {
  if (places.size > 0) PLACES.set(decoded, places)
}

/** The path in the document of a path that begins with the current name of a member. */
export function documentPath(places: DocumentPlaces, path: DocumentPath): DocumentPath {
  if (places.size === 0) return path
  const { place, length } = firstPlace(places, path)
  return [...place, ...path.slice(length)]
}

/**
 * The pointer in the document of a pointer into a decoded configuration. Checks and `create` name fields by their current names;
 * a person looks for the names that the file has.
 */
export function documentPointer(decoded: unknown, pointer: string): string {
  const names = parsePointer(pointer)
  if (names === null) return pointer
  let value = decoded
  /** Null where the document has the same names so far. */
  let path: (string | number)[] | null = null
  for (let at = 0; at < names.length; ) {
    value = contentOf(value)
    const places = typeof value === 'object' && value !== null ? PLACES.get(value) : undefined
    let length = 1
    if (places !== undefined) {
      path ??= names.slice(0, at)
      const first = firstPlace(places, names.slice(at))
      path.push(...first.place)
      length = first.length
    } else path?.push(names[at] as string)
    for (const end = at + length; at < end; at++) value = memberOf(value, names[at] as string)
  }
  return path === null ? pointer : formatPointer(path)
}

/** The place of the longest beginning of a path that has one, and the length of that beginning. */
function firstPlace(places: DocumentPlaces, path: DocumentPath): { place: DocumentPath; length: number } {
  for (let length = Math.min(LONGEST_NAME, path.length); length > 0; length--) {
    const place = places.get(formatPointer(path.slice(0, length)))
    if (place !== undefined) return { place, length }
  }
  return { place: path.slice(0, 1), length: 1 }
}

function contentOf(value: unknown): unknown {
  let content = value
  while (content instanceof Deferred) content = content.content
  return content
}

function memberOf(value: unknown, name: string): unknown {
  const holder = contentOf(value)
  if (!Array.isArray(holder) && !isPlainObject(holder)) return undefined
  return Object.hasOwn(holder, name) ? (holder as Readonly<Record<string, unknown>>)[name] : undefined
}
