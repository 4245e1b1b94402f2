import { JsonLimitError, JsonNumber, type Numeric, parseJson } from '#json'
import { isTrueText, numberOf, toText } from '../coercion.ts'
import { EvaluationError } from '../errors.ts'
import { same } from '../operators.ts'
import { bounded, elementsOf, maxStringLength, sizeOf } from '../values.ts'
import { elements, text, wholeNumber } from './arguments.ts'
import { define, type FunctionDefinition } from './definition.ts'

const jsonLimits = { depth: 200, values: 100_000 }

/** Functions on strings, numbers and lists. */
export const textFunctions: readonly FunctionDefinition[] = [
  { name: 'array', parameters: 'values...', minimum: 0, maximum: Number.POSITIVE_INFINITY, call: (args) => [...args] },
  define('bool', 'value', ([value]) => isTrue(value)),
  define('boolean', 'value', ([value]) => isTrue(value)),
  define('contains', 'container, value', ([container, value]) => contains(container, value)),
  define('escapeJson', 'text', ([value]) => {
    const string = text('escapeJson()', value)
    return string === null ? null : bounded(JSON.stringify(string).slice(1, -1))
  }),
  define('indexOf', 'text, part', ([value, part]) => {
    const string = text('indexOf()', value)
    const sought = text('indexOf()', part)
    return string === null || sought === null ? -1 : string.indexOf(sought)
  }),
  define('integer', 'text', ([value]) => integer(value, 10)),
  define('integerWithRadix', 'text, radix', ([value, radix]) => {
    const base = wholeNumber('integerWithRadix()', radix)
    if (base < 2 || base > 36)
      throw new EvaluationError(`integerWithRadix() expected a radix from 2 to 36, found ${base}`)
    return integer(value, base)
  }),
  define('join', 'values, separator', ([values, separator]) => join(values, separator)),
  define('lastElement', 'list', ([list]) => (list === null ? null : (elements('lastElement()', list).at(-1) ?? null))),
  define('length', 'value', ([value]) => sizeOf(value) ?? 0),
  define('toJson', 'text', ([value]) => fromJson(text('toJson()', value))),
  define('toLowerCase', 'text', ([value]) => text('toLowerCase()', value)?.toLowerCase() ?? null),
  define('toString', 'value', ([value]) => (value === null ? null : toText(value))),
  define('toUpperCase', 'text', ([value]) => text('toUpperCase()', value)?.toUpperCase() ?? null),
  define('trim', 'text', ([value]) => text('trim()', value)?.trim() ?? null),
]

function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && isTrueText(value))
}

function contains(container: unknown, value: unknown): boolean {
  if (container === null || value === null) return false
  const list = elementsOf(container)
  if (list !== null) {
    for (const element of list) if (same(element, value)) return true
    return false
  }
  const whole = text('contains()', container)
  const part = text('contains()', value)
  return whole !== null && part !== null && whole.includes(part)
}

function integer(value: unknown, radix: number): Numeric | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null
  if (value instanceof JsonNumber) return value.isInteger ? value : null
  const string = text('integer()', value)
  if (string === null || string.length > 64) return null
  const digits = string.replace(/^[+-]/, '').toLowerCase()
  const allowed = '0123456789abcdefghijklmnopqrstuvwxyz'.slice(0, radix)
  if (digits === '' || [...digits].some((digit) => !allowed.includes(digit))) return null
  const number = Number.parseInt(string, radix)
  if (Number.isSafeInteger(number)) return number
  return radix === 10 ? numberOf(string) : null
}

function join(values: unknown, separator: unknown): string | null {
  if (values === null) return null
  const between = text('join()', separator) ?? ''
  const parts: string[] = []
  let length = 0
  for (const value of elements('join()', values)) {
    const part = toText(value)
    length += part.length + between.length
    if (length > maxStringLength) throw new EvaluationError(`join() would make more than ${maxStringLength} characters`)
    parts.push(part)
  }
  return parts.join(between)
}

/** Parses JSON that may come from a request: null if it is invalid or nested too deep. */
function fromJson(source: string | null): unknown {
  if (source === null) return null
  try {
    return parseJson(source, jsonLimits)
  } catch (error) {
    if (!(error instanceof JsonLimitError) || error.limit === 'depth') return null
    throw new EvaluationError(`toJson() was given JSON of more than ${jsonLimits.values} values`)
  }
}
