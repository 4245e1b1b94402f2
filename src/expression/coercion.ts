import { JsonNumber, jsonNumber, type Numeric } from '#json'
import { EvaluationError } from './errors.ts'
import { exposureOf, methodOf } from './exposed.ts'
import { bounded, isBytes, isMap, isPlainObject, isSet, kindOf, maxStringLength } from './values.ts'

const maxPrintDepth = 32
const numeric = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const whole = /^[+-]?\d+$/
/** Longer strings are not parsed as numbers. */
const longestNumber = 1_000

/** Converts an operand of arithmetic: null and the empty string are 0, numeric strings are parsed, other values fail. */
export function toNumber(value: unknown): Numeric {
  if (typeof value === 'number') return value
  if (value === null) return 0
  const number = numberOf(value)
  if (number === null) throw new EvaluationError(`expected a number, found ${describe(value)}`)
  // As in Java: integers of any size are exact, a string with a point or an exponent is a double.
  return typeof value === 'string' && !whole.test(value.trim()) ? Number(number) : number
}

/** The value of a number or numeric string, 0 for the empty string; null for other values. */
export function numberOf(value: unknown): Numeric | null {
  if (typeof value === 'number' || value instanceof JsonNumber) return value
  if (typeof value === 'bigint') return jsonNumber(String(value))
  if (typeof value === 'object' && value !== null) return numberOfHost(value)
  if (typeof value !== 'string') return null
  if (value === '') return 0
  return value.length > longestNumber ? null : numberInText(value.trim())
}

/** Unlike in JSON, `+1`, `007`, `.5` and `5.` are valid. */
function numberInText(text: string): Numeric | null {
  if (!numeric.test(text)) return null
  const number = Number(text)
  if (Number.isSafeInteger(number) || String(number) === text) return number
  return whole.test(text) ? jsonNumber(String(BigInt(text))) : new JsonNumber(text)
}

function numberOfHost(host: object): Numeric | null {
  const value = exposureOf(host)?.value?.(host)
  return typeof value === 'object' ? null : numberOf(value)
}

/** Converts an operand of a logical operator: null and every string but "true" are false; other values fail. */
export function toBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  if (value === null) return false
  if (typeof value === 'string') return isTrueText(value)
  throw new EvaluationError(`expected true or false, found ${describe(value)}`)
}

/** Whether a string is `true`, in any case. */
export function isTrueText(text: string): boolean {
  return text.length === 4 && text.toLowerCase() === 'true'
}

/** Converts a value for string interpolation: null is empty, lists and maps are `[a, b]` and `{k=v}`. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return bounded(print(value, 0))
}

function print(value: unknown, depth: number): string {
  if (depth > maxPrintDepth) throw new EvaluationError(`a value nested deeper than ${maxPrintDepth} levels has no text`)
  if (value === null || value === undefined) return 'null'
  if (typeof value !== 'object')
    return typeof value === 'function' || typeof value === 'symbol' ? 'null' : String(value)
  if (value instanceof JsonNumber) return value.text
  const exposure = exposureOf(value)
  if (exposure !== undefined) {
    const text = methodOf(exposure, 'toString')?.(value)
    if (typeof text === 'string') return text
    throw new EvaluationError(`a ${exposure.kind} has no text; name one of its properties`)
  }
  if (isBytes(value)) throw new EvaluationError('a byte array has no text; use encodeBase64()')
  if (Array.isArray(value) || isSet(value)) return `[${list(value, (item) => print(item, depth + 1))}]`
  if (isMap(value)) return `{${list(value, ([key, item]) => `${print(key, depth + 1)}=${print(item, depth + 1)}`)}}`
  if (isPlainObject(value)) {
    return `{${list(Object.keys(value), (key) => `${key}=${print(value[key], depth + 1)}`)}}`
  }
  throw new EvaluationError('this object has no text')
}

function list<T>(items: Iterable<T>, text: (item: T) => string): string {
  const parts: string[] = []
  let length = 0
  for (const item of items) {
    const part = text(item)
    length += part.length + 2
    if (length > maxStringLength) throw new EvaluationError(`the text of this value is longer than ${maxStringLength}`)
    parts.push(part)
  }
  return parts.join(', ')
}

/** Describes a value for a message, without data of a request. */
export function describe(value: unknown): string {
  const kind = kindOf(value)
  if (kind === 'null') return kind
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`
}
