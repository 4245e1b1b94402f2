import { types } from 'node:util'
import { type Exposure, exposed } from '#expression'
import { jsonCopy } from '#http'
import { isPlainObject, setOwn } from '#json'

/** What scripts can do with values of the gateway. Everything that is given and taken is a primitive or opaque. */
export interface HostValues {
  /** `plain`: a primitive, passed as it is. `view`: an object that shows named members. `nothing`: not for scripts. */
  shape(value: unknown): 'plain' | 'list' | 'map' | 'set' | 'bytes' | 'view' | 'nothing'
  /** The number of elements of a list, set or byte array. */
  length(value: unknown): number
  /** An element of a list or set. */
  at(value: unknown, index: number): unknown
  /** Puts bytes into a byte array of the realm. */
  copyBytes(value: unknown, into: Uint8Array): void
  keys(value: unknown): readonly string[]
  /** A member of a map or view; undefined where there is none. */
  read(value: unknown, key: string): unknown
  write(value: unknown, key: string, member: unknown): boolean
  hasMethod(value: unknown, key: string): boolean
  invoke(value: unknown, key: string, ...args: unknown[]): unknown
  /** What an object stands for in text and comparisons. */
  primitive(value: unknown): unknown
  fromJson(text: string): unknown
  fromBytes(bytes: Uint8Array): Uint8Array
}

type AnyExposure = Exposure<unknown>

function exposureOf(value: object): AnyExposure | undefined {
  return (value as { readonly [exposed]?: AnyExposure })[exposed]
}

/** How members of host objects look from scripts: what expressions see of a class, scripts see. */
export const hostValues: HostValues = {
  shape(value) {
    if (value === null || value === undefined) return 'plain'
    if (typeof value !== 'object') return typeof value === 'function' || typeof value === 'symbol' ? 'nothing' : 'plain'
    if (exposureOf(value) !== undefined) return 'view'
    if (Array.isArray(value)) return 'list'
    if (types.isSet(value)) return 'set'
    if (types.isUint8Array(value)) return 'bytes'
    return types.isMap(value) || isPlainObject(value) ? 'map' : 'nothing'
  },
  length: (value) => (types.isSet(value) ? value.size : (value as ArrayLike<unknown>).length),
  at: (value, index) => (types.isSet(value) ? [...value][index] : (value as ArrayLike<unknown>)[index]),
  copyBytes: (value, into) => Uint8Array.prototype.set.call(into, value as Uint8Array),
  keys(value) {
    if (types.isMap(value)) return [...value.keys()].filter((key) => typeof key === 'string')
    const exposure = exposureOf(value as object)
    if (exposure === undefined) return Object.keys(value as object)
    return [...new Set([...Object.keys(exposure.get ?? {}), ...(exposure.keys?.(value) ?? [])])]
  },
  read(value, key) {
    if (types.isMap(value)) return value.get(key)
    const exposure = exposureOf(value as object)
    if (exposure === undefined) {
      return Object.hasOwn(value as object, key) ? (value as Record<string, unknown>)[key] : undefined
    }
    if (exposure.get !== undefined && Object.hasOwn(exposure.get, key)) return exposure.get[key]?.(value)
    return exposure.index?.(value, key) ?? undefined
  },
  write(value, key, member) {
    const exposure = exposureOf(value as object)
    if (exposure === undefined) return writeMap(value, key, member)
    if (exposure.set !== undefined && Object.hasOwn(exposure.set, key)) {
      exposure.set[key]?.(value, member)
      return true
    }
    exposure.assignIndex?.(value, key, member)
    return exposure.assignIndex !== undefined
  },
  hasMethod(value, key) {
    const calls = exposureOf(value as object)?.call
    return calls !== undefined && Object.hasOwn(calls, key)
  },
  invoke: (value, key, ...args) => exposureOf(value as object)?.call?.[key]?.(value, ...args),
  primitive: (value) => exposureOf(value as object)?.value?.(value) ?? '[object]',
  fromJson: (text) => jsonCopy(JSON.parse(text)),
  fromBytes: (bytes) => new Uint8Array(bytes),
}

function writeMap(value: unknown, key: string, member: unknown): boolean {
  if (!isPlainObject(value) || Object.isFrozen(value)) return false
  if (member === null || member === undefined) delete value[key]
  else setOwn(value, key, member as never)
  return true
}
