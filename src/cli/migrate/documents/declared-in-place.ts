import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import type { Field } from '#schema'

/** An object that is declared where a reference may be. */
export interface DeclaredInPlace {
  readonly json: JsonObject
  readonly type: string
  /** The key of the type: event handlers of audit services have `class`. */
  readonly typeKey: string
}

/** The object that is declared in the value of a field, also an invalid one; null for a name and for any other value. */
export function declaredInPlace({ info }: Field, json: JsonValue): DeclaredInPlace | null {
  const { kinds, typeKey = 'type' } = info.shape
  if (kinds === undefined || !isPlainObject(json)) return null
  const type = json[typeKey]
  if (typeof type !== 'string') return null
  // The package of a class is accepted without a warning: only its simple name is the type.
  const simple = typeKey === 'type' ? type : type.slice(type.lastIndexOf('.') + 1)
  return { json: json as JsonObject, type: simple, typeKey }
}
