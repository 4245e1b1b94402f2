import { allowing, percentDecode, percentEncode } from './percent.ts'

/** Name to values; null for a name without `=`. Without prototype, so that every name is data. */
export type Form = Record<string, (string | null)[]>

const MAX_FORM_FIELDS = 10_000

/** A form with more fields than the limit. */
export class TooManyFieldsError extends Error {
  override readonly name = 'TooManyFieldsError'
  readonly code = 'GW_FORM_TOO_LARGE'
}

const FORM = allowing('*')
// application/x-www-form-urlencoded escapes "~" (WHATWG URL section 5.2).
FORM[0x7e] = 0

/** Parses `a=1&b=2` as in a query or a urlencoded body; names without `=` have null by default. */
export function parseForm(text: string, options?: { keepNamesWithoutValue?: boolean; maxFields?: number }): Form {
  const form: Form = Object.create(null)
  const keepBare = options?.keepNamesWithoutValue ?? true
  const maxFields = options?.maxFields ?? MAX_FORM_FIELDS
  let count = 0
  for (let start = 0; start < text.length; ) {
    const ampersand = text.indexOf('&', start)
    const end = ampersand < 0 ? text.length : ampersand
    if (end > start) {
      if (++count > maxFields) throw new TooManyFieldsError(`form: more than ${maxFields} fields`)
      addField(form, text.slice(start, end), keepBare)
    }
    start = end + 1
  }
  return form
}

/** Formats a form as `a=1&b=2`. */
export function formatForm(form: Record<string, readonly (string | null)[]>): string {
  const fields: string[] = []
  for (const name of Object.keys(form)) {
    for (const value of form[name]!) {
      fields.push(value === null ? encode(name) : `${encode(name)}=${encode(value)}`)
    }
  }
  return fields.join('&')
}

/** Formats a form as a query: a space is `%20`, which parsers of URIs and of forms decode alike (RFC 3986 has no `+`). */
export function formatQuery(form: Record<string, readonly (string | null)[]>): string {
  return formatForm(form).replaceAll('+', '%20')
}

function addField(form: Form, field: string, keepBare: boolean): void {
  const equals = field.indexOf('=')
  if (equals < 0 && !keepBare) return
  const name = decode(equals < 0 ? field : field.slice(0, equals))
  const value = equals < 0 ? null : decode(field.slice(equals + 1))
  const values = form[name]
  if (values === undefined) form[name] = [value]
  else values.push(value)
}

function decode(text: string): string {
  return percentDecode(text.includes('+') ? text.replaceAll('+', ' ') : text)
}

function encode(text: string): string {
  const encoded = percentEncode(text, FORM)
  return encoded.includes('%20') ? encoded.replaceAll('%20', '+') : encoded
}
