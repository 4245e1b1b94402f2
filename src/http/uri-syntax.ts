import { allowing, percentEncode, SUB_DELIMS } from './percent.ts'

/** Not a URI, or an illegal part of one. */
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

/** Unescaped characters of a decoded path. */
export const PATH = allowing(`${SUB_DELIMS}:@/`)
/** Characters of an encoded path. */
export const RAW_PATH = allowing(`${SUB_DELIMS}:@/%`)
/** Unescaped characters of a decoded segment. */
export const SEGMENT = allowing(`${SUB_DELIMS}:@`)
/** Unescaped characters of a decoded query. */
export const QUERY = allowing("!$'()*,;:@/?&=+[]")
/** Characters of an encoded query. */
export const RAW_QUERY = allowing(`${SUB_DELIMS}:@/?%[]`)
/** Characters of encoded user information. */
export const USER_INFO = allowing(`${SUB_DELIMS}:%`)

/** Escapes illegal characters of an encoded part; throws for an incomplete escape. */
export function encodePart(part: string, value: string, allowed: Uint8Array): string {
  if (/%(?![0-9A-Fa-f]{2})/.test(value))
    throw new InvalidUriError(`uri ${part}: "%" without two hexadecimal digits in ${quote(value)}`)
  return percentEncode(rejectControls(part, value), allowed)
}

/** Returns the value; throws for control characters. */
export function rejectControls(part: string, value: string): string {
  if (CONTROL.test(value)) throw new InvalidUriError(`uri ${part}: holds a control character`)
  return value
}

/** A value for a message, shortened. */
export function quote(value: unknown): string {
  return JSON.stringify(String(value).slice(0, 80))
}
