import { appendPointer, isPlainObject } from '#json'
import { shapeOf } from './composites.ts'
import type { Field } from './field.ts'

/** A value in a document and a field that reads it; a value may be read by several, one inside the other. */
export interface Place {
  readonly field: Field
  readonly json: unknown
  readonly pointer: string
  /** Where the field is a member of an object: its key as it is written, and its name. */
  readonly key: string | null
  readonly name: string | null
}

/** Every value below `json` that is read by a field, whether it can be decoded or not. */
export function* placesIn(field: Field, json: unknown, pointer: string): Generator<Place> {
  yield { field, json, pointer, key: null, name: null }
  yield* placesBelow(field, json, pointer)
}

function* placesBelow(field: Field, json: unknown, pointer: string): Generator<Place> {
  const { inner, branches, item, entries, members, renamed = {} } = field.info.shape
  const same = inner ?? branches?.get(shapeOf(json))
  if (same !== undefined) yield* placesIn(same, json, pointer)
  if (item !== undefined && Array.isArray(json)) {
    for (const [at, element] of json.entries()) yield* placesIn(item, element, appendPointer(pointer, at))
  } else if (item !== undefined) yield* placesIn(item, json, pointer)
  if (!isPlainObject(json) || (entries === undefined && members === undefined)) return
  for (const key of Object.keys(json)) {
    const [value, at] = [json[key], appendPointer(pointer, key)]
    if (entries !== undefined) yield* placesIn(entries, value, at)
    const name = Object.hasOwn(renamed, key) ? (renamed[key] as string) : key
    const member = members !== undefined && Object.hasOwn(members, name) ? members[name] : undefined
    if (member === undefined || value === null) continue
    yield { field: member, json: value, pointer: at, key, name }
    yield* placesBelow(member, value, at)
  }
}
