import { formatPointer, isPlainObject, type JsonObject, type JsonValue, setOwn } from '#json'
import { arrayIndex, memberOf, type Pointer } from '../pointer.ts'
import { PatchError } from './operation.ts'

/** Where a pointer leads: the object or array that holds the field, and the field's name in it. */
export interface Place {
  readonly holder: JsonObject | JsonValue[]
  readonly name: string
  readonly value: JsonValue | undefined
}

/** The place of a field that may be missing, or null where something on the way to it is. */
export function findPlace(root: JsonObject, pointer: Pointer): Place | null {
  let holder: JsonValue | undefined = root
  for (const token of pointer.slice(0, -1)) {
    holder = holder === undefined ? undefined : memberOf(holder, token)
    if (holder === undefined) return null
  }
  return isHolder(holder) ? placeIn(holder, pointer) : null
}

/** The location of a field; missing parents are created: a list for its end (`-`), else an object. */
export function makePlace(root: JsonObject, pointer: Pointer): Place {
  let holder: JsonObject | JsonValue[] = root
  for (const [depth, token] of pointer.slice(0, -1).entries()) {
    let next: JsonValue | undefined = memberOf(holder, token)
    if (next === undefined || next === null) {
      if (Array.isArray(holder))
        throw new PatchError(`${formatPointer(pointer)}: the list has no element ${token}`, 409)
      next = pointer[depth + 1] === '-' ? [] : {}
      setOwn(holder, token, next)
    }
    if (!isHolder(next)) {
      throw new PatchError(
        `${formatPointer(pointer.slice(0, depth + 1))}: expected an object or a list, found neither`,
        409,
      )
    }
    holder = next
  }
  return placeIn(holder, pointer)
}

function placeIn(holder: JsonObject | JsonValue[], pointer: Pointer): Place {
  const name = pointer.at(-1) as string
  return { holder, name, value: memberOf(holder, name) }
}

function isHolder(value: JsonValue | undefined): value is JsonObject | JsonValue[] {
  return Array.isArray(value) || isPlainObject(value)
}

/** Puts a value in the place of a field: a member is set, an element inserted before the one of that index. */
export function putAt({ holder, name }: Place, value: JsonValue, pointer: Pointer): void {
  if (!Array.isArray(holder)) {
    setOwn(holder, name, value)
    return
  }
  const index = name === '-' ? holder.length : arrayIndex(name)
  if (index === null || index > holder.length) {
    throw new PatchError(
      `${formatPointer(pointer)}: expected an index from 0 to ${holder.length}, or "-" for the end`,
      409,
    )
  }
  holder.splice(index, 0, value)
}

/** Removes a field; no-op where it does not exist. */
export function removeAt({ holder, name, value }: Place): void {
  if (value === undefined) return
  if (Array.isArray(holder)) holder.splice(Number(name), 1)
  else delete holder[name]
}

/** Changes the value in the place of a field that is there. */
export function setAt({ holder, name }: Place, value: JsonValue): void {
  if (Array.isArray(holder)) holder[Number(name)] = value
  else setOwn(holder, name, value)
}
