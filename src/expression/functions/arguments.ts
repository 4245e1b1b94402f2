import { numberValue } from '#json'
import { describe, toText } from '../coercion.ts'
import { EvaluationError } from '../errors.ts'
import { exposureOf, methodOf } from '../exposed.ts'
import { elementsOf, isBytes, isMap, isPlainObject } from '../values.ts'

/**
 * A string argument; null stays null. Other values are converted to text, as in Java: a header or parameter is a list, and
 * `find(request.headers['X-Role'], 'admin')` searches `[user, admin]`.
 */
export function text(of: string, value: unknown): string | null {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  if (hasText(value)) return toText(value)
  throw new EvaluationError(`${of} expected a string, found ${describe(value)}`)
}

function hasText(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function' && typeof value !== 'symbol'
  const exposure = exposureOf(value)
  return exposure === undefined ? !isBytes(value) : methodOf(exposure, 'toString') !== undefined
}

/** An argument of text or bytes, as bytes. */
export function bytes(of: string, value: unknown): Uint8Array | null {
  if (isBytes(value)) return value
  const string = text(of, value)
  return string === null ? null : Buffer.from(string, 'utf8')
}

export function wholeNumber(of: string, value: unknown): number {
  const number = numberValue(value)
  if (number !== null && Number.isSafeInteger(number)) return number
  throw new EvaluationError(`${of} expected a whole number, found ${describe(value)}`)
}

/** The elements of a list or set, or the values of a map. */
export function elements(of: string, value: unknown): unknown[] {
  const list = elementsOf(value)
  if (list !== null) return [...list]
  if (isMap(value)) return [...value.values()]
  if (typeof value === 'object' && value !== null && exposureOf(value) === undefined && isPlainObject(value)) {
    return Object.values(value)
  }
  throw new EvaluationError(`${of} expected a list, found ${describe(value)}`)
}
