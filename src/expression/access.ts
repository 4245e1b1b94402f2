import { JsonNumber, numberValue } from '#json'
import { describe } from './coercion.ts'
import { EvaluationError } from './errors.ts'
import { type AnyExposure, exposureOf, getterOf, setterOf } from './exposed.ts'
import type { Scope } from './scope.ts'
import { isBytes, isMap, isPlainObject, isSet, mutableCopy, toExpressionValue } from './values.ts'

const ownEnumerable = Object.prototype.propertyIsEnumerable
const listIndex = /^(?:0|[1-9]\d{0,9})$/

/** Returns a reader of one literal key, with an inline cache of the getter of the last exposure. */
export function reader(key: string | number): (base: unknown) => unknown {
  let known: AnyExposure | undefined
  let get: ((self: unknown) => unknown) | undefined
  const name = String(key)
  return (base) => {
    if (typeof base !== 'object' || base === null) return read(base, key)
    const exposure = exposureOf(base)
    if (exposure === undefined) return read(base, key)
    if (exposure !== known) {
      known = exposure
      get = getterOf(exposure, name)
    }
    if (get !== undefined) return toExpressionValue(get(base))
    return toExpressionValue(exposure.index?.(base, key))
  }
}

/** Reads `base[key]`: null where it is missing, out of range, or not exposed. */
export function read(base: unknown, key: unknown): unknown {
  if (base === null) return null
  if (typeof base === 'string') return readString(base, key)
  if (typeof base !== 'object') return null
  const exposure = exposureOf(base)
  if (exposure !== undefined) return readExposed(exposure, base, key)
  if (Array.isArray(base)) return readList(base, key)
  if (isMap(base)) return toExpressionValue(base.get(mapKey(key)))
  if (isBytes(base)) return readList(base, key)
  if (isSet(base)) return key === 'size' || key === 'length' ? base.size : null
  const name = mapKey(key)
  if (name === null || !isPlainObject(base) || !ownEnumerable.call(base, name)) return null
  return toExpressionValue(base[name])
}

function readExposed(exposure: AnyExposure, base: object, key: unknown): unknown {
  const name = mapKey(key)
  if (name === null) return null
  const get = getterOf(exposure, name)
  if (get !== undefined) return toExpressionValue(get(base))
  return toExpressionValue(exposure.index?.(base, typeof key === 'number' ? key : name))
}

function readString(text: string, key: unknown): unknown {
  if (key === 'length') return text.length
  const index = indexOf(key)
  return index === null ? null : (text[index] ?? null)
}

function readList(list: ArrayLike<unknown>, key: unknown): unknown {
  if (key === 'length' || key === 'size') return list.length
  const index = indexOf(key)
  return index === null || index >= list.length ? null : toExpressionValue(list[index])
}

function indexOf(key: unknown): number | null {
  const index = typeof key === 'string' && listIndex.test(key) ? Number(key) : numberValue(key)
  return index !== null && Number.isSafeInteger(index) && index >= 0 ? index : null
}

function mapKey(key: unknown): string | null {
  if (typeof key === 'string') return key
  return typeof key === 'number' || typeof key === 'boolean' || key instanceof JsonNumber ? String(key) : null
}

/** Assigns `base[key] = value`; an assignment to a target that is not writable is ignored with a warning. */
export function write(base: unknown, key: unknown, value: unknown, scope: Scope): void {
  const name = mapKey(key)
  if (name === null) throw new EvaluationError(`expected a name or an index, found ${describe(key)}`)
  const done = typeof base === 'object' && base !== null && tryWrite(base, name, key, mutableCopy(value))
  if (!done)
    scope.warn?.(`the assignment to "${name.slice(0, 100)}" of ${describe(base)} was ignored: it cannot be written`)
}

function tryWrite(base: object, name: string, key: unknown, value: unknown): boolean {
  const exposure = exposureOf(base)
  if (exposure !== undefined) return writeExposed(exposure, base, name, key, value)
  if (Array.isArray(base)) return writeList(base, key, value)
  if (isMap(base)) {
    base.set(name, value)
    return true
  }
  if (isBytes(base) || isSet(base) || !isPlainObject(base)) return false
  // Defined instead of assigned, so that `__proto__` is an ordinary entry.
  return Reflect.defineProperty(base, name, { value, writable: true, enumerable: true, configurable: true })
}

function writeExposed(exposure: AnyExposure, base: object, name: string, key: unknown, value: unknown): boolean {
  const set = setterOf(exposure, name)
  if (set !== undefined) {
    set(base, value)
    return true
  }
  if (getterOf(exposure, name) !== undefined || exposure.assignIndex === undefined) return false
  exposure.assignIndex(base, typeof key === 'number' ? key : name, value)
  return true
}

function writeList(list: unknown[], key: unknown, value: unknown): boolean {
  const index = indexOf(key)
  if (index === null || index > list.length || Object.isFrozen(list)) return false
  list[index] = value
  return true
}
