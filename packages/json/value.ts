import { JsonNumber } from './number.ts'

/** Any JSON value. A number that a double would change is a JsonNumber. */
export type JsonValue = null | boolean | number | JsonNumber | string | JsonValue[] | JsonObject

/** A JSON object: own keys of any name. */
export interface JsonObject {
  [key: string]: JsonValue
}

/** True for objects of JSON text, false for instances of classes. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/**
 * Sets an own property of any name. A plain assignment to `__proto__` would change the prototype instead (threats B76), so
 * this name is defined.
 */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
    return
  }
  target[key] = value
}

/** Makes a value and everything in it unchangeable. */
export function deepFreeze<T extends JsonValue>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (!(value instanceof JsonNumber)) for (const each of Object.values(value)) deepFreeze(each)
  return Object.freeze(value)
}

/** A copy that can be changed on its own. Unlike structuredClone, it keeps numbers that are no doubles. */
export function copyJson<T extends JsonValue>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value
  if (Array.isArray(value)) return value.map((each) => copyJson(each)) as T
  const copy: JsonObject = {}
  for (const key of Object.keys(value)) setOwn(copy, key, copyJson((value as JsonObject)[key] as JsonValue))
  return copy as T
}

/** The members of all objects in a value, itself included. */
export function countMembers(value: JsonValue): number {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return 0
  const inside = Object.values(value)
  let count = Array.isArray(value) ? 0 : inside.length
  for (const each of inside) count += countMembers(each)
  return count
}
