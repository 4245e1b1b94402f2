import { describe, toText } from '../coercion.ts'
import { EvaluationError } from '../errors.ts'
import { exposureOf, methodOf } from '../exposed.ts'
import { elementsOf, isBytes, isMap, isPlainObject } from '../values.ts'

/** Takes a string argument; numbers, booleans and objects with a text are converted, null stays null. */
export function text(of: string, value: unknown): string | null {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (typeof value === 'object') {
    const exposure = exposureOf(value)
    if (exposure !== undefined && methodOf(exposure, 'toString') !== undefined) return toText(value)
    // A header or parameter is a list; a list of one value stands for that value nowhere, so say what to write.
    if (Array.isArray(value))
      throw new EvaluationError(`${of} expected a string, found a list; take one element with [0]`)
  }
  throw new EvaluationError(`${of} expected a string, found ${describe(value)}`)
}

/** Takes an argument that may be text or bytes, as bytes. */
export function bytes(of: string, value: unknown): Uint8Array | null {
  if (isBytes(value)) return value
  const string = text(of, value)
  return string === null ? null : Buffer.from(string, 'utf8')
}

/** Takes a whole number. */
export function wholeNumber(of: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw new EvaluationError(`${of} expected a whole number, found ${describe(value)}`)
}

/** Takes a list, set or the values of a map. */
export function elements(of: string, value: unknown): unknown[] {
  const list = elementsOf(value)
  if (list !== null) return [...list]
  if (isMap(value)) return [...value.values()]
  if (typeof value === 'object' && value !== null && exposureOf(value) === undefined && isPlainObject(value)) {
    return Object.values(value)
  }
  throw new EvaluationError(`${of} expected a list, found ${describe(value)}`)
}
