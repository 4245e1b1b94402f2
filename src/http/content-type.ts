import type { Headers } from './headers.ts'

/** A body of a client that servers read in different ways, so that a decision about it could be about another one. */
class AmbiguousEntityError extends Error {
  override readonly name = 'AmbiguousEntityError'
  readonly code = 'GW_ENTITY_AMBIGUOUS'

  constructor(found: string) {
    super(`entity: ${found}: the server could read other content than the gateway`)
  }
}

// Encodings in which bytes of ASCII can be a part of another character, by their names in TextDecoder.
const HIDING_ASCII = new Set(['big5', 'euc-kr', 'gb18030', 'gbk', 'iso-2022-jp', 'shift_jis', 'utf-16be', 'utf-16le'])

const URLENCODED = 'application/x-www-form-urlencoded'
const JSON_TYPE = /^application\/(?:[^;]*\+)?json$/

/** The media type of a message, in lower case and without parameters. */
export function mediaType(headers: Headers): string {
  const value = headers.get('content-type') ?? ''
  const end = value.indexOf(';')
  return (end < 0 ? value : value.slice(0, end)).trim().toLowerCase()
}

/** The charset that Content-Type names, else UTF-8. */
export function charsetOf(headers: Headers): string {
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(headers.get('content-type') ?? '') ?? []
  return quoted || plain || 'utf-8'
}

/** Whether the content is a form, by its media type. */
export function isForm(headers: Headers): boolean {
  return mediaType(headers) === URLENCODED
}

/** Whether the media type has an encoding of its own, UTF-8: of JSON (RFC 8259 section 8.1) or a form (WHATWG URL section 5.1). */
export function isAlwaysUtf8(headers: Headers): boolean {
  return isForm(headers) || JSON_TYPE.test(mediaType(headers))
}

/** Rejects a second Content-Type, and one that only some servers take for a form (threats B115). */
export function assertOneContentType(headers: Headers): void {
  const types = headers.all('content-type')
  if (types.length > 1) throw new AmbiguousEntityError('more than one Content-Type')
  const type = mediaType(headers)
  if (type.includes(URLENCODED) && type !== URLENCODED) {
    throw new AmbiguousEntityError('a malformed Content-Type that names a form')
  }
}

/** Rejects a charset that hides structure from those who honour it: most servers read JSON and forms as UTF-8 (threats B115). */
export function assertShowsAscii(charset: string): void {
  const { encoding } = new TextDecoder(charset)
  if (HIDING_ASCII.has(encoding)) throw new AmbiguousEntityError(`JSON or a form in the charset ${encoding}`)
}
