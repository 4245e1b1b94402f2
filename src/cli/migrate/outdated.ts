import { OWN_KEYS } from '#heap'
import { appendPointer, isPlainObject, type JsonObject, type JsonValue } from '#json'
import { currentMembers, DOCUMENT_STRUCTURE, type Field, fieldValuesIn, type TypeDefinition } from '#schema'
import type { Change } from './change.ts'
import { decoratorMoves } from './decorator-moves.ts'
import { migratedMembers, redeclared } from './deprecated-members.ts'
import type { MigratedDocument, TypesOfDocument } from './migrated-document.ts'

/** Finds old spellings. Values inside of a changed one are not searched: the changed document is searched again. */
export function* changesOf(json: JsonObject, { type, types }: MigratedDocument): Generator<Change> {
  const known = new Set([...Object.keys(DOCUMENT_STRUCTURE), ...Object.keys(type.members)])
  const older = [...type.older, ...types.obsoleteKeys(type.legacy)]
  const changed = membersChange(json, '', (key) => known.has(key) || types.isDecorator(key), older)
  if (changed !== null) return yield changed
  const { heap } = json
  if (isPlainObject(heap) && Object.keys(heap).join() === 'objects') {
    return yield { kind: 'value', pointer: '/heap', value: heap['objects'] as JsonValue }
  }
  if (Array.isArray(heap)) yield* heapChanges(heap, types)
  yield* fieldChanges(type.fields, json, '', types)
  yield* decorationChanges(json, '', known, types)
}

function* heapChanges(heap: readonly JsonValue[], types: TypesOfDocument): Generator<Change> {
  const kept = new Set(heap.flatMap((each, at) => (types.isRetired(each) ? [] : [at])))
  if (kept.size < heap.length) return yield { kind: 'elements', pointer: '/heap', kept }
  for (const [at, each] of heap.entries()) yield* objectChanges(each, `/heap/${at}`, types)
}

/** Changes of a declared object. */
function* objectChanges(json: JsonValue, pointer: string, types: TypesOfDocument): Generator<Change> {
  if (!isPlainObject(json)) return
  const isKnown = (key: string) => OWN_KEYS.has(key) || types.isDecorator(key)
  const changed = membersChange(json, pointer, isKnown, types.obsoleteKeys([]))
  if (changed !== null) return yield changed
  const definition = types.find(json['type'])
  if (definition === null) return
  const moved = decoratorMoves(json, definition, types) ?? redeclared(json, definition)
  if (moved !== null) return yield { kind: 'members', pointer, members: moved }
  if (definition.name !== json['type']) {
    yield { kind: 'value', pointer: appendPointer(pointer, 'type'), value: definition.name }
  }
  yield* configChanges(json, definition, pointer, types)
  yield* decorationChanges(json, pointer, OWN_KEYS, types)
}

function* configChanges(
  json: JsonObject,
  { config }: TypeDefinition,
  pointer: string,
  types: TypesOfDocument,
): Generator<Change> {
  if (isPlainObject(json['config']))
    yield* fieldChanges(config, json['config'], appendPointer(pointer, 'config'), types)
}

/** Changes of the values of decorators. */
function* decorationChanges(
  json: JsonObject,
  pointer: string,
  known: ReadonlySet<string>,
  types: TypesOfDocument,
): Generator<Change> {
  for (const key of Object.keys(json)) {
    const settings = known.has(key) ? null : types.decoratorSettings(key)
    if (settings !== null) yield* fieldChanges(settings, json[key] as JsonValue, appendPointer(pointer, key), types)
  }
}

/** Changes of a value that a field decodes, and of the objects that are declared in it. */
function* fieldChanges(field: Field, json: JsonValue, pointer: string, types: TypesOfDocument): Generator<Change> {
  const changed: string[] = []
  const declared = new Set<string>()
  for (const found of fieldValuesIn(field, json, pointer)) {
    if (changed.some((each) => isWithin(found.pointer, each))) continue
    const change = fieldChange(found.field, found.json as JsonValue, found.pointer)
    if (change !== null) {
      changed.push(found.pointer)
      yield change
    } else if (isDeclaration(found.field, found.json) && !declared.has(found.pointer)) {
      declared.add(found.pointer)
      yield* objectChanges(found.json, found.pointer, types)
    }
  }
}

function fieldChange(field: Field, json: JsonValue, pointer: string): Change | null {
  const { members, older = [], migrations = [] } = field.info.shape
  if (members !== undefined && isPlainObject(json) && pointer !== '') {
    const change = membersChange(json, pointer, (key) => Object.hasOwn(members, key), older)
    if (change !== null) return change
    const migrated = migratedMembers(json, members, migrations)
    if (migrated !== null) return { kind: 'members', pointer, members: migrated }
  }
  const shape = field.reshaped(json)
  if (shape === null) return null
  return { kind: 'value', pointer, value: shape === 'a list' ? [json] : ((json as JsonValue[])[0] as JsonValue) }
}

function membersChange(
  json: JsonObject,
  pointer: string,
  isKnown: (key: string) => boolean,
  older: Parameters<typeof currentMembers>[2],
): Change | null {
  const { members, remarks } = currentMembers(json, isKnown, older)
  if (remarks.length === 0) return null
  const given = [...members].map(([name, { key, value }]) => ({ name, key, value: value as JsonValue }))
  return { kind: 'members', pointer, members: given }
}

function isDeclaration({ info }: Field, json: unknown): json is JsonObject {
  return info.shape.kinds !== undefined && isPlainObject(json) && typeof json['type'] === 'string'
}

function isWithin(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`)
}
