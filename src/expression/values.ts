import { types } from 'node:util'
import { JsonNumber } from '#json'
import { EvaluationError } from './errors.ts'
import { exposureOf } from './exposed.ts'

/** The longest string that an evaluation may create, in UTF-16 code units. */
export const maxStringLength = 16 * 1024 * 1024

/** True for plain maps, false for instances of classes. */
export function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value)
  // Objects of another realm (scripts) have that realm's Object.prototype, which also ends the chain.
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

/** Of any realm. */
export const isMap = (value: unknown): value is Map<unknown, unknown> => types.isMap(value)

/** Of any realm. */
export const isSet = (value: unknown): value is Set<unknown> => types.isSet(value)

/** Whether a value is a byte array. */
export const isBytes = (value: unknown): value is Uint8Array => types.isUint8Array(value)

/** Converts values that expressions must not get (undefined, functions, symbols) to null. */
export function toExpressionValue(value: unknown): unknown {
  if (value === undefined) return null
  const type = typeof value
  return type === 'function' || type === 'symbol' ? null : value
}

/** A mutable copy of a frozen list or map, such as the JSON of a body. */
export function mutableCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return value
  if (Array.isArray(value)) return value.map(mutableCopy)
  if (exposureOf(value) !== undefined || !isPlainObject(value)) return value
  const copy: Record<string, unknown> = Object.create(null)
  for (const key of Object.keys(value)) copy[key] = mutableCopy(value[key])
  return copy
}

/** The kind of a value for messages. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof JsonNumber) return 'number'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value !== 'object') return 'object'
  const exposure = exposureOf(value)
  if (exposure !== undefined) return exposure.kind
  if (Array.isArray(value)) return 'list'
  if (isSet(value)) return 'set'
  if (isBytes(value)) return 'byte array'
  return isMap(value) || isPlainObject(value) ? 'map' : 'object'
}

/** The elements of a list-like value; null for other values. */
export function elementsOf(value: unknown): Iterable<unknown> | null {
  if (Array.isArray(value) || isSet(value) || isBytes(value)) return value
  return null
}

/** The keys of a map-like value; null for other values. */
export function keysOf(value: unknown): Iterable<string> | null {
  if (typeof value !== 'object' || value === null) return null
  const exposure = exposureOf(value)
  if (exposure !== undefined) return exposure.keys?.(value) ?? null
  if (isMap(value)) return [...value.keys()].filter((key) => typeof key === 'string')
  if (Array.isArray(value) || isSet(value) || isBytes(value) || !isPlainObject(value)) return null
  return Object.keys(value)
}

/** Size of a string, list or map; null for other values. */
export function sizeOf(value: unknown): number | null {
  if (typeof value === 'string' || Array.isArray(value) || isBytes(value)) return value.length
  if (isMap(value) || isSet(value)) return value.size
  const keys = keysOf(value)
  if (keys === null) return null
  let count = 0
  for (const _ of keys) count += 1
  return count
}

/** Throws for a string over the limit. */
export function bounded(text: string): string {
  if (text.length > maxStringLength) {
    throw new EvaluationError(
      `a string of ${text.length} characters is too long, at most ${maxStringLength} are allowed`,
    )
  }
  return text
}
