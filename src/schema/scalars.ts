import { compileRegex } from '@identity-gateway/regex'
import { parseDuration } from '#expression'
import { isToken, TOKEN } from '#http'
import { type JsonValue, numberValue } from '#json'
import { expected, type Field, field } from './field.ts'

/** Any text. */
export function string(options: { nonEmpty?: boolean } = {}): Field<string> {
  return field(
    { label: 'a string', schema: () => ({ type: 'string', ...(options.nonEmpty && { minLength: 1 }) }) },
    (value, report) => {
      if (typeof value !== 'string') report(expected('a string', value))
      else if (options.nonEmpty && value === '') report('expected a string that is not empty')
      return value as string
    },
  )
}

/** Characters of host names, and of addresses with their zone; names of containers may have underscores. */
const LISTENING_HOST = /^[\w.-]+$|^[\da-fA-F:.]+(?:%[\w.-]+)?$|^\[[\da-fA-F:.]+(?:%[\w.-]+)?\]$/

/** A host to listen on: an address or a name of this machine, without scheme and port. IPv6 addresses may have brackets, as in URLs. */
export function listeningHost(): Field<string> {
  const label = 'an address or a host name, without scheme and port'
  return field({ label, schema: () => ({ type: 'string', pattern: LISTENING_HOST.source }) }, (value, report) => {
    if (typeof value !== 'string' || !LISTENING_HOST.test(value)) report(expected(label, value))
    return value as string
  })
}

/** A method or header name: a token of RFC 9110, section 5.6.2. */
export function token(label: string): Field<string> {
  return field({ label, schema: () => ({ type: 'string', pattern: TOKEN.source }) }, (value, report) => {
    if (typeof value !== 'string' || !isToken(value)) report(`expected ${label}, got ${JSON.stringify(value)}`)
    return value as string
  })
}

/** An integer within bounds, also as text, as from `&{tokens}`. */
export function integer({ min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = {}): Field<number> {
  const bounds = boundsText(min, max, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  const label = `an integer${bounds}`
  const schema = { type: 'integer', ...limits(min, max) }
  return field({ label, schema: () => schema }, (value, report) => {
    const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : numberValue(value)
    if (number === null || !Number.isSafeInteger(number) || number < min || number > max) {
      report(expected(label, value))
    }
    return number as number
  })
}

/** Any finite number within bounds. */
export function number({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = {}): Field<number> {
  const label = `a number${boundsText(min, max, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)}`
  return field({ label, schema: () => ({ type: 'number', ...limits(min, max) }) }, (value, report) => {
    const numeric = typeof value === 'string' && value.trim() !== '' ? Number(value) : numberValue(value)
    if (numeric === null || !Number.isFinite(numeric) || numeric < min || numeric > max) {
      report(expected(label, value))
    }
    return numeric as number
  })
}

/** `true` or `false`, also as text, as from `&{tokens}`. */
export function boolean(): Field<boolean> {
  return field({ label: 'a boolean', schema: () => ({ type: 'boolean' }) }, (value, report) => {
    if (typeof value === 'boolean') return value
    if (typeof value === 'string' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true'
    report(expected('true or false', value))
    return undefined
  })
}

/** Bounds of a duration; `unlimited` and `zero` set whether those values are allowed. */
interface DurationBounds {
  readonly min?: string
  readonly max?: string
  /** Reason of the bound, for the message. */
  readonly because?: string
  readonly zero?: boolean
  readonly unlimited?: boolean
}

/** Of a duration in whole files; see SHARED_DEFINITIONS. */
const DURATION_SCHEMA = { $ref: '#/$defs/Duration' }

/** Milliseconds, unlimited = Infinity, from text such as `10 seconds` (field-notes 1.7). */
export function duration(bounds: DurationBounds = {}): Field<number> {
  const { zero = true, unlimited = true } = bounds
  const min = bounds.min === undefined ? 0 : (parseDuration(bounds.min) as number)
  const max = bounds.max === undefined ? Number.POSITIVE_INFINITY : (parseDuration(bounds.max) as number)
  const schema = { type: 'string', examples: ['10 seconds', '1 minute', '2 hours and 30 minutes'] }
  return field({ label: 'a duration', schema: () => schema, fileSchema: DURATION_SCHEMA }, (value, report) => {
    const parsed = typeof value === 'string' ? parseDuration(value) : null
    const reason = bounds.because === undefined ? '' : `: ${bounds.because}`
    if (parsed === null) report(expected('a duration such as "10 seconds"', value))
    else if (parsed === 0 && !zero) report(expected('a duration of more than zero', value))
    else if (parsed === Number.POSITIVE_INFINITY && !unlimited)
      report(`${expected('a limited duration', value)}${reason}`)
    else if (parsed < min) report(expected(`a duration of at least ${bounds.min}`, value))
    else if (parsed > max) report(`${expected(`a duration of at most ${bounds.max}`, value)}${reason}`)
    return parsed as number
  })
}

/** Whether a value is a literal duration of zero, such as `disabled`. */
export function isZeroDuration(value: unknown): boolean {
  return value === 0 || (typeof value === 'string' && parseDuration(value) === 0)
}

/** An absolute URL of one of the given schemes. */
export function url(schemes: readonly string[] = ['http', 'https']): Field<string> {
  const label = `a URL (${schemes.map((scheme) => `${scheme}://`).join(', ')})`
  return field({ label, schema: () => ({ type: 'string', format: 'uri' }) }, (value, report) => {
    const parsed = typeof value === 'string' ? URL.parse(value) : null
    if (parsed === null || !schemes.includes(parsed.protocol.slice(0, -1))) report(expected(label, value))
    return value as string
  })
}

/** An enumerated value, case-insensitive unless `exact` is set. Decodes to the listed spelling. */
export function oneOf<const W extends string>(words: readonly W[], options: { exact?: boolean } = {}): Field<W> {
  const label = words.map((word) => `"${word}"`).join(' or ')
  const schema = () => ({ type: 'string', enum: [...words] })
  return field({ label, schema, isAnyCase: !options.exact }, (value, report) => {
    const found = words.find(
      (word) =>
        word === value || (!options.exact && typeof value === 'string' && word.toLowerCase() === value.toLowerCase()),
    )
    if (found === undefined) report(expected(`one of ${words.map((word) => `"${word}"`).join(', ')}`, value))
    return found
  })
}

const SECRET_ID = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/

/** Whether a text is a secret id: words joined by dots, of a bounded length. */
export function isSecretId(text: string): boolean {
  return text.length <= 256 && SECRET_ID.test(text)
}

/** The form of a secret id, for messages. */
export const SECRET_ID_FORM = 'a secret id: letters, digits, "-" and "_" in words joined by dots'

/**
 * The id for a query of a secrets provider; with `defined` an id that a store assigns to its secrets, with `isFile` the
 * name of a file in the folder of secrets, for objects that ask no store.
 */
export function secretId({ defined = false, isFile = false } = {}): Field<string> {
  const schema = () => ({ type: 'string', pattern: SECRET_ID.source })
  const names = { namesSecret: !defined && !isFile, namesSecretFile: isFile }
  return field({ label: 'a secret id', schema, ...names }, (value, report) => {
    if (typeof value !== 'string' || !isSecretId(value)) report(expected(SECRET_ID_FORM, value))
    return value as string
  })
}

/** A regular expression, compiled at load, that runs in linear time. */
export type Pattern = ReturnType<typeof compileRegex>

/** A regular expression in Java syntax. */
export function regex(): Field<Pattern> {
  return field(
    { label: 'a regular expression', schema: () => ({ type: 'string', format: 'regex' }) },
    (value, report) => {
      if (typeof value !== 'string') {
        report(expected('a regular expression', value))
        return undefined
      }
      try {
        return compileRegex(value)
      } catch (error) {
        report(`expected a regular expression, got ${JSON.stringify(value)}: ${(error as Error).message}`)
        return undefined
      }
    },
  )
}

/** Any JSON value, unchanged. */
export function json(): Field<JsonValue> {
  return field({ label: 'any JSON value', schema: () => ({}) }, (value) => value as JsonValue)
}

function limits(min: number, max: number): Record<string, number> {
  return {
    ...(Number.isFinite(min) && min !== Number.MIN_SAFE_INTEGER && { minimum: min }),
    ...(Number.isFinite(max) && max !== Number.MAX_SAFE_INTEGER && { maximum: max }),
  }
}

function boundsText(min: number, max: number, lowest: number, highest: number): string {
  if (min !== lowest && max !== highest) return ` from ${min} to ${max}`
  if (min !== lowest) return ` of at least ${min}`
  return max === highest ? '' : ` of at most ${max}`
}
