import { type JsonObject, type JsonValue, setOwn } from '#json'
import { memberOf, type Pointer, parseQueryPointer } from '../pointer.ts'
import type { Description, Resource } from './endpoint.ts'
import { RequestError } from './refusal.ts'

const MAX_FIELDS = 200

/** The fields of `_fields`; null for the default ones. */
export type Fields = readonly Pointer[] | null

type Revisions = readonly (string | null)[]

/** Parses `_fields`: JSON pointers, or `*` for the default fields. Blank counts as missing. */
export function parseFields(text: string | null): Fields {
  if (text === null || text.trim() === '') return null
  const parts = text.split(',', MAX_FIELDS + 1)
  if (parts.length > MAX_FIELDS) throw new RequestError(400, `_fields: at most ${MAX_FIELDS} fields, got more`)
  return parts.map((part) => {
    const pointer = part.trim() === '' ? null : parseQueryPointer(part.trim())
    if (pointer !== null) return pointer
    throw new RequestError(
      400,
      `_fields: expected JSON pointers such as parent/child, got ${JSON.stringify(part.slice(0, 40))}`,
    )
  })
}

/** Adds the revisions of selected fields that have one of their own. */
export function withFieldRevisions(fields: Fields, { fieldRevisions }: Description): Fields {
  if (fields === null || fieldRevisions === undefined) return fields
  const added = fields.flatMap(([name]) => {
    return name !== undefined && Object.hasOwn(fieldRevisions, name) ? [[fieldRevisions[name] as string]] : []
  })
  return added.length === 0 ? fields : [...fields, ...added]
}

/** The revisions of the selected representation: that of the resource, or those of the selected fields that have their own. */
export function selectedRevisions(resource: Resource, fields: Fields, { fieldRevisions = {} }: Description): Revisions {
  const own = Object.values(fieldRevisions).filter((name) => fields?.some(([field]) => field === name))
  if (own.length === 0) return [resource.revision]
  return own.map((name) => {
    const revision = resource.field?.(name) ?? resource.onRequest?.[name]
    return typeof revision === 'string' ? revision : null
  })
}

/** The JSON of a resource: `_id` and `_rev` first, then the selected fields. */
export function resourceJson(resource: Resource, fields: Fields): JsonObject {
  const { id, revision, content } = resource
  const head: JsonObject = revision === null ? { _id: id } : { _id: id, _rev: revision }
  if (fields === null) return { ...head, ...content, ...head }
  return { ...head, ...selectFields({ ...content, ...resource.onRequest }, content, fields), ...head }
}

/** The selected fields of a value; nested fields keep their parents (spec gap 106). */
export function selectFields(all: JsonObject, defaults: JsonObject, fields: Fields): JsonObject {
  if (fields === null) return defaults
  const wanted: Wanted = new Map()
  let selected: JsonObject = {}
  for (const pointer of fields) {
    if (pointer.length === 0 || (pointer.length === 1 && pointer[0] === '*')) selected = { ...defaults }
    else want(wanted, pointer)
  }
  // Default fields are complete, also where a part of one is selected too; the first spread keeps their order.
  return { ...selected, ...(keep(all, wanted) as JsonObject | undefined), ...selected }
}

/** Selected names with their nested selection; a name without one is selected completely. */
type Wanted = Map<string, Wanted | 'whole'>

function want(wanted: Wanted, [name, ...rest]: Pointer): void {
  const known = wanted.get(name as string)
  if (known === 'whole') return
  if (rest.length === 0) {
    wanted.set(name as string, 'whole')
    return
  }
  const below: Wanted = known ?? new Map()
  wanted.set(name as string, below)
  want(below, rest)
}

/** The selected part of a value; undefined where nothing is selected. Of a list, its selected elements. */
function keep(value: JsonValue, wanted: Wanted | 'whole'): JsonValue | undefined {
  if (wanted === 'whole') return value
  const kept: [string, JsonValue][] = []
  for (const [name, below] of wanted) {
    const member = memberOf(value, name)
    const part = member === undefined ? undefined : keep(member, below)
    if (part !== undefined) kept.push([name, part])
  }
  if (kept.length === 0) return undefined
  if (Array.isArray(value)) return kept.map(([, part]) => part)
  const result: JsonObject = {}
  for (const [name, part] of kept) setOwn(result, name, part)
  return result
}
