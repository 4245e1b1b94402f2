import { isTransformation, type Json } from '#expression'
import { OWN_KEYS, UNKNOWN_FIELD } from '#heap'
import { appendPointer, isPlainObject, type JsonObject, type JsonValue, parsePointer } from '#json'
import {
  DOCUMENT_STRUCTURE,
  decode,
  type Field,
  fieldValuesIn,
  isIgnoredKey,
  type Problem,
  UNKNOWN_MEMBER,
} from '#schema'
import { type DeclaredInPlace, declaredInPlace } from './declared-in-place.ts'
import type { MigratedDocument, TypesOfDocument } from './migrated-document.ts'

/** Parts of a migrated document that only a person can decide: problems, and deprecated fields and types without an automatic conversion. */
export function openDecisions(json: JsonObject, { type, types }: MigratedDocument): Problem[] {
  const found: Problem[] = []
  const { heap } = json
  for (const [at, each] of Array.isArray(heap) ? heap.entries() : []) {
    if (!isPlainObject(each) || typeof each['type'] !== 'string') continue
    ofObject({ json: each as JsonObject, type: each['type'], typeKey: 'type' }, `/heap/${at}`, types, found)
  }
  ofField(type.fields, fieldsIn(json, type.members), '', types, found)
  unknownKeys(json, '', new Set([...Object.keys(DOCUMENT_STRUCTURE), ...Object.keys(type.members)]), types, found)
  return found
}

/** Keys that are neither fields nor decorators. */
function unknownKeys(
  json: JsonObject,
  pointer: string,
  known: ReadonlySet<string>,
  types: TypesOfDocument,
  found: Problem[],
): void {
  for (const key of Object.keys(json)) {
    if (known.has(key) || types.isDecorator(key) || isIgnoredKey(key)) continue
    found.push({ pointer: appendPointer(pointer, key), message: UNKNOWN_FIELD })
  }
}

function ofObject(declared: DeclaredInPlace, pointer: string, types: TypesOfDocument, found: Problem[]): void {
  const { json, type, typeKey } = declared
  const definition = types.find(type)
  const at = appendPointer(pointer, typeKey)
  if (definition === null) {
    found.push({ pointer: at, message: types.unknown(type) })
    return
  }
  if (definition.replacement !== null) {
    found.push({ pointer: at, message: `${definition.name} is deprecated; ${definition.replacement}` })
  }
  ofField(definition.config, json['config'] ?? {}, appendPointer(pointer, 'config'), types, found)
  if (typeKey === 'type') unknownKeys(json, pointer, OWN_KEYS, types, found)
}

function ofField(field: Field, json: JsonValue, pointer: string, types: TypesOfDocument, found: Problem[]): void {
  const { problems, warnings } = decode(field, json, pointer)
  const certain = problems.filter((problem) => !dependsOnToken(problem, json, pointer))
  for (const { pointer: at, message } of [...certain, ...warnings]) found.push({ pointer: at, message })
  const declared = new Set<string>()
  for (const { field: inner, json: value, pointer: at } of fieldValuesIn(field, json, pointer)) {
    const inPlace = declared.has(at) ? null : declaredInPlace(inner, value as JsonValue)
    if (inPlace === null) continue
    declared.add(at)
    ofObject(inPlace, at, types, found)
  }
}

/** The fields of a document without its other keys, which are decoded otherwise. */
function fieldsIn(json: JsonObject, members: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(json).filter(([key]) => Object.hasOwn(members, key)))
}

/** Whether a problem is one of a value with a token, which is replaced only where the gateway runs. */
function dependsOnToken({ pointer, message }: Problem, json: JsonValue, base: string): boolean {
  if (message.startsWith(UNKNOWN_MEMBER)) return false
  let value: unknown = json
  for (const token of parsePointer(pointer.slice(base.length)) ?? []) {
    value = (value as Record<string, unknown> | null | undefined)?.[token]
  }
  if (typeof value === 'string') return value.includes('&{')
  return isPlainObject(value) && isTransformation(value as { readonly [key: string]: Json })
}
