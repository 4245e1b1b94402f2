import { isToken } from './token.ts'
/** One cookie, of a request or of a response. */
export interface Cookie {
  name: string
  value: string
  path?: string
  domain?: string
  expires?: string
  maxAge?: number
  secure?: boolean
  httpOnly?: boolean
  sameSite?: string
  version?: number
}

/** Parses a Cookie header (RFC 6265 section 5.4), with the `$Path` and `$Domain` of RFC 2965. */
export function parseCookieHeader(value: string): Cookie[] {
  const cookies: Cookie[] = []
  let version: number | null = null
  for (const part of value.split(';')) {
    const equals = part.indexOf('=')
    if (equals < 0) continue
    const name = part.slice(0, equals).trim()
    const content = unquoted(part.slice(equals + 1).trim())
    if (name === '') continue
    if (!name.startsWith('$')) {
      cookies.push(version === null ? { name, value: content } : { name, value: content, version })
      continue
    }
    const last = cookies.at(-1)
    const attribute = name.toLowerCase()
    if (attribute === '$version' && /^\d{1,3}$/.test(content)) version = Number(content)
    else if (attribute === '$path' && last !== undefined) last.path = content
    else if (attribute === '$domain' && last !== undefined) last.domain = content
  }
  return cookies
}

/** Parses a Set-Cookie header (RFC 6265 section 5.2); unknown attributes are dropped. */
export function parseSetCookie(value: string): Cookie {
  const [pair = '', ...attributes] = value.split(';')
  const equals = pair.indexOf('=')
  const cookie: Cookie = {
    name: equals < 0 ? '' : pair.slice(0, equals).trim(),
    value: unquoted(pair.slice(equals + 1).trim()),
  }
  for (const attribute of attributes) setAttribute(cookie, attribute)
  return cookie
}

/** Groups cookies by name, in a map without prototype. */
export function cookiesByName(headers: readonly string[]): Readonly<Record<string, Cookie[]>> {
  const byName: Record<string, Cookie[]> = Object.create(null)
  for (const header of headers) {
    for (const cookie of parseCookieHeader(header)) {
      const same = byName[cookie.name]
      if (same === undefined) byName[cookie.name] = [cookie]
      else same.push(cookie)
    }
  }
  return byName
}

/** A cookie that can not be serialized unchanged. */
export class InvalidCookieError extends Error {
  override readonly name = 'InvalidCookieError'
  readonly code = 'GW_COOKIE_INVALID'
}

const VALUE = /^(?:[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*|"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*")$/
const ATTRIBUTE = /^[\x20-\x3a\x3c-\x7e]*$/

/** Formats a Set-Cookie value (RFC 6265 section 4.1); throws where a part would change its meaning (threats B29). */
export function formatSetCookie(cookie: Cookie): string {
  if (!isToken(cookie.name)) throw new InvalidCookieError('cookie: the name is not a token')
  if (!VALUE.test(cookie.value))
    throw new InvalidCookieError(`cookie ${cookie.name}: the value holds a character to be encoded`)
  let text = `${cookie.name}=${cookie.value}`
  for (const [label, value] of [
    ['Path', cookie.path],
    ['Domain', cookie.domain],
    ['Expires', cookie.expires],
    ['Max-Age', cookie.maxAge?.toString()],
    ['SameSite', cookie.sameSite],
  ] as const) {
    if (value === undefined) continue
    if (!ATTRIBUTE.test(value))
      throw new InvalidCookieError(`cookie ${cookie.name}: ${label} holds a character it may not`)
    text += `; ${label}=${value}`
  }
  if (cookie.secure === true) text += '; Secure'
  if (cookie.httpOnly === true) text += '; HttpOnly'
  return text
}

function setAttribute(cookie: Cookie, attribute: string): void {
  const equals = attribute.indexOf('=')
  const name = (equals < 0 ? attribute : attribute.slice(0, equals)).trim().toLowerCase()
  const value = equals < 0 ? '' : unquoted(attribute.slice(equals + 1).trim())
  if (name === 'path') cookie.path = value
  else if (name === 'domain') cookie.domain = value
  else if (name === 'expires') cookie.expires = value
  else if (name === 'max-age' && /^-?\d{1,15}$/.test(value)) cookie.maxAge = Number(value)
  else if (name === 'secure') cookie.secure = true
  else if (name === 'httponly') cookie.httpOnly = true
  else if (name === 'samesite') cookie.sameSite = value
  else if (name === 'version' && /^\d{1,3}$/.test(value)) cookie.version = Number(value)
}

function unquoted(text: string): string {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text
}
