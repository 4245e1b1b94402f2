import { OWN_KEYS } from '#heap'
import { appendPointer, isPlainObject, type JsonObject, type JsonValue } from '#json'
import {
  currentMembers,
  DOCUMENT_STRUCTURE,
  type Field,
  fieldValuesIn,
  type Kind,
  nameOnly,
  type ObjectPlace,
  type TypeDefinition,
} from '#schema'
import { isCaptureFilter, missingCaptureDecorator, withCaptureDecorator } from './capture-decorators.ts'
import type { Change, NewMember } from './change.ts'
import { type DeclaredInPlace, declaredInPlace } from './declared-in-place.ts'
import { decoratorMoves } from './decorator-moves.ts'
import { migratedMembers, redeclared } from './deprecated-members.ts'
import type { MigratedDocument, TypesOfDocument } from './migrated-document.ts'

/** Finds old spellings. Values inside of a changed one are not searched: the changed document is searched again. */
export function* changesOf(json: JsonObject, document: MigratedDocument): Generator<Change> {
  const { type, types } = document
  const known = new Set([...Object.keys(DOCUMENT_STRUCTURE), ...Object.keys(type.members)])
  const older = [...type.older, ...types.obsoleteKeys(type.legacy)]
  const changed = membersChange(json, '', (key) => known.has(key) || types.isDecorator(key), older)
  if (changed !== null) return yield changed
  const { heap } = json
  if (isPlainObject(heap) && Object.keys(heap).join() === 'objects') {
    return yield { kind: 'value', pointer: '/heap', value: heap['objects'] as JsonValue }
  }
  const decorator = missingCaptureDecorator(json, types.declared)
  if (decorator !== null) return yield added(json, decorator)
  if (Array.isArray(heap)) yield* heapChanges(heap, document)
  yield* fieldChanges(type.fields, json, '', document)
  yield* decorationChanges(json, '', known, document)
}

/** A document with one more object in its heap. */
function added(json: JsonObject, declaration: JsonObject): Change {
  if (Array.isArray(json['heap'])) return { kind: 'appended', pointer: '/heap', value: declaration }
  const kept = Object.keys(json).filter((key) => key !== 'heap')
  const members = kept.map((key) => ({ name: key, key, value: json[key] as JsonValue }))
  return { kind: 'members', pointer: '', members: [...members, { name: 'heap', key: 'heap', value: [declaration] }] }
}

function* heapChanges(heap: readonly JsonValue[], document: MigratedDocument): Generator<Change> {
  const { types } = document
  const kept = new Set(heap.flatMap((each, at) => (types.isRetired(each) ? [] : [at])))
  if (kept.size < heap.length) return yield { kind: 'elements', pointer: '/heap', kept }
  for (const [at, each] of heap.entries()) yield* objectChanges(each, `/heap/${at}`, null, document)
}

/** Changes of a declared object. */
function* objectChanges(
  json: JsonValue,
  pointer: string,
  kinds: readonly Kind[] | null,
  document: MigratedDocument,
): Generator<Change> {
  if (!isPlainObject(json)) return
  const { types, isAdmin } = document
  const isKnown = (key: string) => OWN_KEYS.has(key) || types.isDecorator(key)
  const changed = membersChange(json, pointer, isKnown, types.obsoleteKeys([]))
  if (changed !== null) return yield changed
  const definition = types.find(json['type'])
  if (definition === null) return
  const moved = decoratorMoves(json, definition, types) ?? redeclaration(json, definition, { kinds, isAdmin }, types)
  if (moved !== null) return yield { kind: 'members', pointer, members: moved }
  if (definition.name !== json['type']) {
    yield { kind: 'value', pointer: appendPointer(pointer, 'type'), value: definition.name }
  }
  yield* configChanges(json, definition, pointer, document)
  yield* decorationChanges(json, pointer, OWN_KEYS, document)
}

/** Changes of an object whose type has another key: it has no decorations, and nothing beside its configuration. */
function* otherwiseDeclaredChanges(
  { json, type, typeKey }: DeclaredInPlace,
  pointer: string,
  document: MigratedDocument,
): Generator<Change> {
  const definition = document.types.find(type)
  if (definition === null) return
  if (definition.name !== type)
    yield { kind: 'value', pointer: appendPointer(pointer, typeKey), value: definition.name }
  yield* configChanges(json, definition, pointer, document)
}

function redeclaration(
  json: JsonObject,
  definition: TypeDefinition,
  place: ObjectPlace,
  types: TypesOfDocument,
): NewMember[] | null {
  if (!isCaptureFilter(json)) return redeclared(json, definition, place)
  const filter = withCaptureDecorator(json, types.declared)
  return filter === null
    ? null
    : Object.keys(filter).map((name) => ({ name, key: name, value: filter[name] as JsonValue }))
}

function* configChanges(
  json: JsonObject,
  { config }: TypeDefinition,
  pointer: string,
  document: MigratedDocument,
): Generator<Change> {
  if (isPlainObject(json['config']))
    yield* fieldChanges(config, json['config'], appendPointer(pointer, 'config'), document)
}

/** Changes of the values of decorators. */
function* decorationChanges(
  json: JsonObject,
  pointer: string,
  known: ReadonlySet<string>,
  document: MigratedDocument,
): Generator<Change> {
  for (const key of Object.keys(json)) {
    const settings = known.has(key) ? null : document.types.decoratorSettings(key)
    if (settings !== null) yield* fieldChanges(settings, json[key] as JsonValue, appendPointer(pointer, key), document)
  }
}

/** Changes of a value that a field decodes, and of the objects that are declared in it. */
function* fieldChanges(field: Field, json: JsonValue, pointer: string, document: MigratedDocument): Generator<Change> {
  const changed: string[] = []
  const declared = new Set<string>()
  for (const found of fieldValuesIn(field, json, pointer)) {
    if (changed.some((each) => isWithin(found.pointer, each))) continue
    const change = fieldChange(found.field, found.json as JsonValue, found.pointer, document.movesSecrets)
    if (change !== null) {
      changed.push(found.pointer)
      yield change
    } else if (!declared.has(found.pointer)) {
      const inPlace = declaredInPlace(found.field, found.json as JsonValue)
      if (inPlace === null) continue
      declared.add(found.pointer)
      if (inPlace.typeKey !== 'type') yield* otherwiseDeclaredChanges(inPlace, found.pointer, document)
      else yield* objectChanges(inPlace.json, found.pointer, found.field.info.shape.kinds ?? null, document)
    }
  }
}

function fieldChange(field: Field, json: JsonValue, pointer: string, movesSecrets: boolean): Change | null {
  const { members, older = [], migrations = [] } = field.info.shape
  if (members !== undefined && isPlainObject(json) && pointer !== '') {
    const change = membersChange(json, pointer, (key) => Object.hasOwn(members, key), older)
    if (change !== null) return change
    const migrated = migratedMembers(json, members, migrations, movesSecrets)
    if (migrated !== null) return { kind: 'members', pointer, members: migrated }
  }
  const name = field.info.shape.kinds === undefined ? null : nameOnly(json)
  if (name !== null) return { kind: 'value', pointer, value: name }
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

function isWithin(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`)
}
