import { isPlainObject, type JsonObject, type JsonValue, setOwn } from '#json'
import type { TypeDefinition } from '#schema'
import type { NewMember } from './change.ts'
import type { TypesOfDocument } from './migrated-document.ts'

/** The members of an object whose configuration has decorations, as OpenIG 2 has them, beside it; null without such. */
export function decoratorMoves(
  json: JsonObject,
  { config, settings }: TypeDefinition,
  types: TypesOfDocument,
): NewMember[] | null {
  const inner = json['config']
  if (!isPlainObject(inner) || settings !== null) return null
  const fields = config.info.shape.members ?? {}
  const moved = Object.keys(inner).filter((key) => types.isDecorator(key) && !Object.hasOwn(fields, key))
  if (moved.length === 0) return null
  const rest: JsonObject = {}
  for (const key of Object.keys(inner)) if (!moved.includes(key)) setOwn(rest, key, inner[key] as JsonValue)
  const kept = Object.keys(json).map((key) => ({
    name: key,
    key,
    value: key === 'config' ? rest : (json[key] as JsonValue),
  }))
  const added = moved
    .filter((key) => !Object.hasOwn(json, key))
    .map((key) => ({ name: key, key: 'config', value: inner[key] as JsonValue }))
  return [...kept, ...added]
}
