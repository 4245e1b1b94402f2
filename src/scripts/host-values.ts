import { types } from 'node:util'
import { type Exposure, exposed } from '#expression'
import { jsonCopy } from '#http'
import { isPlainObject, JsonNumber, parseJson, setOwn } from '#json'
import type { HostTable } from './host-function.ts'

type AnyExposure = Exposure<unknown>

function exposureOf(value: object): AnyExposure | undefined {
  return (value as { readonly [exposed]?: AnyExposure })[exposed]
}

/**
 * Representation of a value in scripts: `plain` unchanged, a `number` by its text, a `view` with named members, `nothing` not
 * available.
 */
type Shape = 'plain' | 'number' | 'list' | 'map' | 'set' | 'bytes' | 'view' | 'nothing'

/** Access to values of the gateway: scripts have the same members as expressions. */
export const hostValues = {
  shape(value: unknown): Shape {
    if (value === null || value === undefined) return 'plain'
    if (typeof value !== 'object') return typeof value === 'function' || typeof value === 'symbol' ? 'nothing' : 'plain'
    if (value instanceof JsonNumber) return 'number'
    if (exposureOf(value) !== undefined) return 'view'
    if (Array.isArray(value)) return 'list'
    if (types.isSet(value)) return 'set'
    if (types.isUint8Array(value)) return 'bytes'
    return types.isMap(value) || isPlainObject(value) ? 'map' : 'nothing'
  },
  /** The source text of a number that does not fit a double. */
  numberText: (value: unknown): string => (value as JsonNumber).text,
  /** The number of elements of a list, set or byte array. */
  length: (value: unknown): number => (types.isSet(value) ? value.size : (value as ArrayLike<unknown>).length),
  /** An element of a list or set. */
  at: (value: unknown, index: number): unknown =>
    types.isSet(value) ? [...value][index] : (value as ArrayLike<unknown>)[index],
  /** Copies bytes into a byte array of the realm. */
  copyBytes: (value: unknown, into: unknown): void =>
    Uint8Array.prototype.set.call(into as Uint8Array, value as Uint8Array),
  keys(value: unknown): readonly string[] {
    if (types.isMap(value)) return [...value.keys()].filter((key) => typeof key === 'string')
    const exposure = exposureOf(value as object)
    if (exposure === undefined) return Object.keys(value as object)
    return [...new Set([...Object.keys(exposure.get ?? {}), ...(exposure.keys?.(value) ?? [])])]
  },
  /** A member of a map or view; undefined if missing. */
  read(value: unknown, key: string): unknown {
    if (types.isMap(value)) return value.get(key)
    const exposure = exposureOf(value as object)
    if (exposure === undefined) {
      return Object.hasOwn(value as object, key) ? (value as Record<string, unknown>)[key] : undefined
    }
    if (exposure.get !== undefined && Object.hasOwn(exposure.get, key)) return exposure.get[key]?.(value)
    return exposure.index?.(value, key) ?? undefined
  },
  write(value: unknown, key: string, member: unknown): boolean {
    const exposure = exposureOf(value as object)
    if (exposure === undefined) return writeMap(value, key, member)
    if (exposure.set !== undefined && Object.hasOwn(exposure.set, key)) {
      exposure.set[key]?.(value, member)
      return true
    }
    exposure.assignIndex?.(value, key, member)
    return exposure.assignIndex !== undefined
  },
  hasMethod(value: unknown, key: string): boolean {
    const calls = exposureOf(value as object)?.call
    return calls !== undefined && Object.hasOwn(calls, key)
  },
  invoke: (value: unknown, key: string, first: unknown, second: unknown, third: unknown): unknown =>
    exposureOf(value as object)?.call?.[key]?.(value, first, second, third),
  /** The primitive value of an object in text and comparisons. */
  primitive: (value: unknown): unknown => exposureOf(value as object)?.value?.(value) ?? '[object]',
  fromJson: (text: string): unknown => jsonCopy(parseJson(text)),
  fromBytes: (bytes: unknown): unknown => new Uint8Array(bytes as Uint8Array),
}

/** The same, as a realm calls it. */
export type HostValues = HostTable<typeof hostValues>

function writeMap(value: unknown, key: string, member: unknown): boolean {
  if (!isPlainObject(value) || Object.isFrozen(value)) return false
  if (member === null || member === undefined) delete value[key]
  else setOwn(value, key, member as never)
  return true
}
