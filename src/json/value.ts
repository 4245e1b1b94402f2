/** Any value JSON text can hold. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject

/** A JSON object: own keys only, whatever they are called. */
export interface JsonObject {
  [key: string]: JsonValue
}

/** True for objects made from JSON text, and for nothing with a prototype of its own. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/**
 * Sets an own property whatever its name is. A plain assignment to `__proto__` would change the prototype
 * instead (threats B76), so that one name is defined.
 */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
    return
  }
  target[key] = value
}

/** Makes a value and everything in it unchangeable. */
export function deepFrozen<T extends JsonValue>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const key of Object.keys(value)) deepFrozen((value as JsonObject)[key] as JsonValue)
  return Object.freeze(value)
}
