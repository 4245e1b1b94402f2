import { formatPointer, isPlainObject, type JsonObject, type JsonValue, setOwn } from '#json'
import { arrayIndex, memberOf, type Pointer } from '../pointer.ts'
import { PatchError } from './operation.ts'

/** Target of a pointer: the object or array that has the field, and the name of the field in it. */
export interface FieldLocation {
  readonly parent: JsonObject | JsonValue[]
  readonly name: string
  readonly value: JsonValue | undefined
}

/** The location of a field, which may be missing; null where a parent is missing. */
export function findLocation(root: JsonObject, pointer: Pointer): FieldLocation | null {
  let parent: JsonValue | undefined = root
  for (const token of pointer.slice(0, -1)) {
    parent = parent === undefined ? undefined : memberOf(parent, token)
    if (parent === undefined) return null
  }
  return isHolder(parent) ? placeIn(parent, pointer) : null
}

/** The location of a field; missing parents are created: a list for its end (`-`), else an object. */
export function createLocation(root: JsonObject, pointer: Pointer): FieldLocation {
  let parent: JsonObject | JsonValue[] = root
  for (const [depth, token] of pointer.slice(0, -1).entries()) {
    let next: JsonValue | undefined = memberOf(parent, token)
    if (next === undefined || next === null) {
      if (Array.isArray(parent))
        throw new PatchError(`${formatPointer(pointer)}: the list has no element ${token}`, 409)
      next = pointer[depth + 1] === '-' ? [] : {}
      setOwn(parent, token, next)
    }
    if (!isHolder(next)) {
      throw new PatchError(
        `${formatPointer(pointer.slice(0, depth + 1))}: expected an object or a list, found neither`,
        409,
      )
    }
    parent = next
  }
  return placeIn(parent, pointer)
}

function placeIn(parent: JsonObject | JsonValue[], pointer: Pointer): FieldLocation {
  const name = pointer.at(-1) as string
  return { parent, name, value: memberOf(parent, name) }
}

function isHolder(value: JsonValue | undefined): value is JsonObject | JsonValue[] {
  return Array.isArray(value) || isPlainObject(value)
}

/** Sets a member, or inserts an element before the one of that index. */
export function putAt({ parent, name }: FieldLocation, value: JsonValue, pointer: Pointer): void {
  if (!Array.isArray(parent)) {
    setOwn(parent, name, value)
    return
  }
  const index = name === '-' ? parent.length : arrayIndex(name)
  if (index === null || index > parent.length) {
    throw new PatchError(
      `${formatPointer(pointer)}: expected an index from 0 to ${parent.length}, or "-" for the end`,
      409,
    )
  }
  parent.splice(index, 0, value)
}

/** Removes a field; no-op where it does not exist. */
export function removeAt({ parent, name, value }: FieldLocation): void {
  if (value === undefined) return
  if (Array.isArray(parent)) parent.splice(Number(name), 1)
  else delete parent[name]
}

/** Replaces the value of an existing field. */
export function setAt({ parent, name }: FieldLocation, value: JsonValue): void {
  if (Array.isArray(parent)) parent[Number(name)] = value
  else setOwn(parent, name, value)
}
