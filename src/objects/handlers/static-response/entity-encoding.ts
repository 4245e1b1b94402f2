import { isAscii } from 'node:buffer'

/** Turns text into bytes of one character set. */
type Encode = (text: string) => Uint8Array

const utf8: Encode = (text) => Buffer.from(text, 'utf8')

// Characters outside the character set become "?".
const latin1: Encode = (text) => Buffer.from(text.replace(/[^\0-\xff]/gu, '?'), 'latin1')

const ascii: Encode = (text) => {
  const bytes = utf8(text)
  return isAscii(bytes) ? bytes : Buffer.from(text.replace(/[^\0-\x7f]/gu, '?'), 'latin1')
}

// Encodings that need no tables.
const ENCODINGS: Readonly<Record<string, Encode>> = {
  'utf-8': utf8,
  utf8,
  'iso-8859-1': latin1,
  latin1,
  'us-ascii': ascii,
  ascii,
}

/** The charset of a Content-Type, in lower case, or null. */
export function charsetOf(contentType: string | null): string | null {
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(contentType ?? '') ?? []
  return (quoted ?? plain)?.toLowerCase() || null
}

/** The encoding for a Content-Type: UTF-8 without a charset; null for an unknown charset. */
export function encodingFor(contentType: string | null): Encode | null {
  const charset = charsetOf(contentType)
  if (charset === null) return utf8
  return Object.hasOwn(ENCODINGS, charset) ? ENCODINGS[charset]! : null
}

/** Supported character sets. */
export const CHARSETS = 'utf-8, iso-8859-1, us-ascii'
