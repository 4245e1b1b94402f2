import { isPlainObject, type JsonObject, type JsonValue, setOwn } from '#json'
import type { PointerTree } from './pointer-tree.ts'

type Scalar = Exclude<JsonValue, null | JsonObject | JsonValue[]>

/** Changes the values below a pointer: a hash, a shorter text. */
export interface ValuePolicy {
  readonly fields: PointerTree
  apply(value: Scalar): Scalar
}

/** Policies of one topic; pointers are relative to the event. */
export interface TopicPolicies {
  readonly include: PointerTree
  readonly exclude: PointerTree
  /** Members whose value is left out: they stay, empty. */
  readonly withoutValue: PointerTree
  /** Those at or below them whose value is written nevertheless. */
  readonly withValue: PointerTree
  /** In the order in which they apply. */
  readonly values: readonly ValuePolicy[]
}

/** A copy of an event with the included fields only, less the excluded ones. */
export function filterEvent(event: JsonObject, policies: TopicPolicies): JsonObject {
  const { include, exclude, withoutValue, withValue, values } = policies
  let filtered = included(event, include, exclude) as JsonObject
  if (!withoutValue.isEmpty) filtered = withoutValues(filtered, withoutValue, withValue) as JsonObject
  for (const { fields, apply } of values) {
    filtered = changed(filtered, fields, (value) => mapValues(value, apply)) as JsonObject
  }
  return filtered
}

function included(value: JsonValue, include: PointerTree, exclude: PointerTree | null): JsonValue | undefined {
  if (exclude?.isCovered) return undefined
  if (!isPlainObject(value)) return include.isCovered ? value : undefined
  if (include.isCovered && exclude === null) return value
  const kept: JsonObject = {}
  let isEmpty = true
  for (const name of Object.keys(value)) {
    const below = include.isCovered ? include : include.child(name)
    const member = below === null ? undefined : included(value[name] as JsonValue, below, exclude?.child(name) ?? null)
    if (member === undefined) continue
    setOwn(kept, name, member)
    isEmpty = false
  }
  return isEmpty && !include.isCovered ? undefined : kept
}

function changed(value: JsonValue, fields: PointerTree, change: (value: JsonValue) => JsonValue): JsonValue {
  if (fields.isCovered) return change(value)
  if (!isPlainObject(value)) return value
  const copy: JsonObject = {}
  for (const name of Object.keys(value)) {
    const below = fields.child(name)
    setOwn(copy, name, below === null ? (value[name] as JsonValue) : changed(value[name] as JsonValue, below, change))
  }
  return copy
}

/** `without` is null below a value that is left out. */
function withoutValues(value: JsonValue, without: PointerTree | null, kept: PointerTree | null): JsonValue {
  const isOmitted = without === null || without.isCovered
  if (isOmitted && kept?.isCovered) return value
  if (!isPlainObject(value)) return isOmitted ? emptied(value) : value
  const copy: JsonObject = {}
  for (const name of Object.keys(value)) {
    const member = value[name] as JsonValue
    const below = kept?.child(name) ?? null
    if (isOmitted) {
      if (below !== null) setOwn(copy, name, withoutValues(member, null, below))
      continue
    }
    const child = without.child(name)
    setOwn(copy, name, child === null ? member : withoutValues(member, child, below))
  }
  return copy
}

function emptied(value: JsonValue): JsonValue {
  if (typeof value === 'string') return ''
  if (Array.isArray(value)) return []
  return isPlainObject(value) ? {} : null
}

function mapValues(value: JsonValue, apply: ValuePolicy['apply']): JsonValue {
  if (value === null) return null
  if (Array.isArray(value)) return value.map((each) => mapValues(each, apply))
  if (!isPlainObject(value)) return apply(value)
  const copy: JsonObject = {}
  for (const name of Object.keys(value)) setOwn(copy, name, mapValues(value[name] as JsonValue, apply))
  return copy
}
