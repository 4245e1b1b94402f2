import { type JsonObject, type JsonValue, setOwn } from '#json'
import type { Field, FieldMigration, ObjectPlace, TypeDefinition } from '#schema'
import type { NewMember } from './change.ts'

/** The members of an object without deprecated fields that can be replaced, and without fields that have no effect; null if it has none. */
export function migratedMembers(
  json: JsonObject,
  fields: Readonly<Record<string, Field>>,
  migrations: readonly FieldMigration[],
  movesSecrets: boolean,
): NewMember[] | null {
  const unsupported = Object.keys(json).filter(
    (key) => Object.hasOwn(fields, key) && fields[key]?.info.notes.unsupported !== undefined,
  )
  const removal: FieldMigration = { fields: unsupported, migrate: () => ({}) }
  for (const migration of [removal, ...migrations]) {
    if (migration.movesSecret === true && !movesSecrets) continue
    const given = migration.fields.filter((name) => Object.hasOwn(json, name) && json[name] !== null)
    if (given.length === 0) continue
    const patch = migration.migrate(
      picked(json, given),
      picked(
        json,
        Object.keys(json).filter((key) => !given.includes(key)),
      ),
    )
    if (patch !== null) return patched(json, given, patch)
  }
  return null
}

/** The members of an object that is declared by another type now; null where its declaration is current. */
export function redeclared(json: JsonObject, definition: TypeDefinition, place: ObjectPlace): NewMember[] | null {
  const declaration = definition.migrate(json, place)
  return declaration === null ? null : Object.keys(declaration).map((name) => member(name, name, declaration))
}

function patched(json: JsonObject, given: readonly string[], patch: JsonObject): NewMember[] {
  const kept = Object.keys(json).filter((key) => !given.includes(key) && !Object.hasOwn(patch, key))
  const first = given[0] as string
  const set = Object.keys(patch).filter((name) => patch[name] !== null)
  return [
    ...kept.map((key) => member(key, key, json)),
    ...set.map((name) => member(name, Object.hasOwn(json, name) ? name : first, patch)),
  ]
}

function member(name: string, key: string, from: JsonObject): NewMember {
  return { name, key, value: from[name] as JsonValue }
}

function picked(json: JsonObject, keys: readonly string[]): JsonObject {
  const object: JsonObject = {}
  for (const key of keys) setOwn(object, key, json[key] as JsonValue)
  return object
}
