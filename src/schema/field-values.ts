import { appendPointer, formatPointer, isPlainObject, parsePointer } from '#json'
import { branchFor } from './composites.ts'
import { type CurrentMembers, currentMembers, type SpellingRemark } from './current-members.ts'
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
  /** Warnings about the spelling of its members. */
  readonly remarks: readonly SpellingRemark[]
}

/** Every value below `json` that a field decodes, also invalid ones. */
export function fieldValuesIn(field: Field, json: unknown, pointer: string): FieldValue[] {
  const found: FieldValue[] = []
  collect({ field, json, pointer, key: null, name: null }, found)
  return found
}

function collect(value: Omit<FieldValue, 'remarks'>, found: FieldValue[]): void {
  const { field, json, pointer } = value
  const { inner, branches, item, entries, members, older = [] } = field.info.shape
  const add = (below: Field, element: unknown, at: string): void =>
    collect({ field: below, json: element, pointer: at, key: null, name: null }, found)
  const isObject = isPlainObject(json)
  const current =
    members === undefined || !isObject ? null : currentMembers(json, (key) => Object.hasOwn(members, key), older)
  found.push({ ...value, remarks: current?.remarks ?? NO_REMARKS })
  const same = inner ?? (branches && branchFor(json, branches))
  if (same !== undefined) add(same, json, pointer)
  if (item !== undefined) {
    if (!Array.isArray(json)) add(item, json, pointer)
    else for (const [at, element] of json.entries()) add(item, element, appendPointer(pointer, at))
  }
  if (entries !== undefined && isObject) {
    for (const key of Object.keys(json)) add(entries, json[key], appendPointer(pointer, key))
  }
  if (members !== undefined && current !== null) collectMembers(members, current, pointer, found)
}

const NO_REMARKS: readonly SpellingRemark[] = []

function collectMembers(
  known: Readonly<Record<string, Field>>,
  { members, places }: CurrentMembers,
  pointer: string,
  found: FieldValue[],
): void {
  for (const [name, { key, value: json }] of members) {
    const field = Object.hasOwn(known, name) ? known[name] : undefined
    if (field === undefined) continue
    const at = appendPointer('', name)
    if (places.size === 0) {
      collect({ field, json, pointer: pointer + at, key, name }, found)
      continue
    }
    const below: FieldValue[] = []
    collect({ field, json, pointer: at, key, name }, below)
    for (const value of below) found.push({ ...value, pointer: located(value.pointer, places, pointer) })
  }
}

/** The pointer in the document of a pointer below an object, whose members have their current names. */
function located(below: string, places: DocumentPlaces, pointer: string): string {
  return pointer + formatPointer(documentPath(places, parsePointer(below) ?? []))
}
