import { allowing, percentEncode, SUB_DELIMS } from './percent.ts'

/** A text that is not a URI, or a part that has no place in one. */
export class InvalidUriError extends Error {
  override readonly name = 'InvalidUriError'
  readonly code = 'GW_URI_INVALID'
}

/** RFC 3986 section 3.1. */
export const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*$/
/** RFC 3986 section 3.2.2. */
export const REG_NAME = /^[A-Za-z0-9\-._~!$&'()*+,;=%]*$/
/** RFC 3986 appendix B. */
export const GENERIC = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s
const CONTROL = /[\x00-\x1f\x7f]/

/** What stands unescaped in a path that was given decoded. */
export const PATH = allowing(`${SUB_DELIMS}:@/`)
/** What stands in a path that was given encoded. */
export const RAW_PATH = allowing(`${SUB_DELIMS}:@/%`)
/** What stands unescaped in one segment. */
export const SEGMENT = allowing(`${SUB_DELIMS}:@`)
/** What stands unescaped in a query that was given decoded. */
export const QUERY = allowing("!$'()*,;:@/?&=+[]")
/** What stands in a query that was given encoded. */
export const RAW_QUERY = allowing(`${SUB_DELIMS}:@/?%[]`)
/** What stands in user information. */
export const USER_INFO = allowing(`${SUB_DELIMS}:%`)

/** Escapes what may not stand in a part that was given encoded; half an escape is refused. */
export function encoded(part: string, value: string, allowed: Uint8Array): string {
  if (/%(?![0-9A-Fa-f]{2})/.test(value))
    throw new InvalidUriError(`uri ${part}: "%" without two hexadecimal digits in ${quote(value)}`)
  return percentEncode(uncontrolled(part, value), allowed)
}

/** The value itself, unless it holds a control character. */
export function uncontrolled(part: string, value: string): string {
  if (CONTROL.test(value)) throw new InvalidUriError(`uri ${part}: holds a control character`)
  return value
}

/** A value for a message, cut short. */
export function quote(value: unknown): string {
  return JSON.stringify(String(value).slice(0, 80))
}
