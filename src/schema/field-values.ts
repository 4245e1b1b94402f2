import { appendPointer, formatPointer, isPlainObject, parsePointer } from '#json'
import { branchFor } from './composites.ts'
import { currentMembers } from './current-members.ts'
import { type DocumentPlaces, documentPath } from './document-places.ts'
import type { Field } from './field.ts'

/** A value in a document and a field that decodes it; nested fields may decode the same value. */
export interface FieldValue {
  readonly field: Field
  readonly json: unknown
  readonly pointer: string
  /** For a member of an object: the key in the document, and the name of the field. */
  readonly key: string | null
  readonly name: string | null
}

/** Every value below `json` that a field decodes, also invalid ones. */
export function* fieldValuesIn(field: Field, json: unknown, pointer: string): Generator<FieldValue> {
  yield { field, json, pointer, key: null, name: null }
  yield* fieldValuesBelow(field, json, pointer)
}

function* fieldValuesBelow(field: Field, json: unknown, pointer: string): Generator<FieldValue> {
  const { inner, branches, item, entries, members, older = [] } = field.info.shape
  const same = inner ?? (branches && branchFor(json, branches))
  if (same !== undefined) yield* fieldValuesIn(same, json, pointer)
  if (item !== undefined && Array.isArray(json)) {
    for (const [at, element] of json.entries()) yield* fieldValuesIn(item, element, appendPointer(pointer, at))
  } else if (item !== undefined) yield* fieldValuesIn(item, json, pointer)
  if (!isPlainObject(json)) return
  if (entries !== undefined) {
    for (const key of Object.keys(json)) yield* fieldValuesIn(entries, json[key], appendPointer(pointer, key))
  }
  if (members === undefined) return
  const { members: given, places } = currentMembers(json, (key) => Object.hasOwn(members, key), older)
  for (const [name, { key, value }] of given) {
    const member = Object.hasOwn(members, name) ? members[name] : undefined
    if (member === undefined) continue
    const at = appendPointer('', name)
    yield { field: member, json: value, pointer: located(at, places, pointer), key, name }
    if (places.size === 0) yield* fieldValuesBelow(member, value, pointer + at)
    else {
      for (const found of fieldValuesBelow(member, value, at)) {
        yield { ...found, pointer: located(found.pointer, places, pointer) }
      }
    }
  }
}

/** The pointer in the document of a pointer below an object, whose members have their current names. */
function located(below: string, places: DocumentPlaces, pointer: string): string {
  return pointer + (places.size === 0 ? below : formatPointer(documentPath(places, parsePointer(below) ?? [])))
}
