import { createHash, randomBytes } from 'node:crypto'
import { type Exchange, formatSetCookie, type Response } from '#http'
import { isPlainObject, parseJson } from '#json'

/** What a browser has to bring back with the token: it is the one that was sent to log in. */
export interface BegunLogin {
  readonly state: string
  readonly nonce: string
  readonly goto: string
}

const LIFETIME = 600
const PREFIX = 'gateway-cdsso-login-'
/** Browsers drop cookies of more than 4,096 bytes; this is what of them a URL may take, before it is encoded. */
const LONGEST_GOTO = 2_400
const LONGEST_VALUE = 3_900
/** Logins that a browser may have under way; each costs room in the head of every request. */
const MOST_LOGINS = 5

/** A new login that ends at a URL; one that is too long to be kept loses its query, or all but its site. */
export function newLogin(goto: string): BegunLogin {
  const random = () => randomBytes(24).toString('base64url')
  const [path = '', site = ''] = [goto.split('?', 1)[0], /^https?:\/\/[^/]*/.exec(goto)?.[0]]
  const kept = [goto, path, `${site}/`].find(({ length }) => length <= LONGEST_GOTO) ?? '/'
  return { state: random(), nonce: random(), goto: kept }
}

/**
 * Keeps a login with the browser, each in a cookie of its own, since a browser may be at several login pages. The answer
 * is a form that another site posts: over TLS the cookie goes with such requests, and no other host of the domain can have
 * set it; without TLS browsers allow neither. What a page loads in the background can not end at a login page, and leaves
 * no cookie: a page of a hundred pictures would fill the head of every request.
 */
export function rememberLogin(response: Response, exchange: Exchange, login: BegunLogin): void {
  const mode = exchange.request.headers.get('sec-fetch-mode')
  if (mode !== null && mode !== 'navigate') return
  const value = Buffer.from(JSON.stringify(login)).toString('base64url')
  const isSecure = isOverTls(exchange)
  for (const name of beginnings(exchange, isSecure)) write(response, isSecure, name, null)
  write(response, isSecure, nameFor(login.state, isSecure), value)
}

/** The login that a state belongs to; null where this browser has not begun it. */
export function recallLogin(exchange: Exchange, state: string): BegunLogin | null {
  const [cookie] = exchange.request.cookies[nameFor(state, isOverTls(exchange))] ?? []
  if (cookie === undefined || cookie.value.length > LONGEST_VALUE) return null
  const login = loginIn(cookie.value)
  return login?.state === state ? login : null
}

/** Takes the cookie of a login away. */
export function forgetLogin(response: Response, exchange: Exchange, state: string): void {
  const isSecure = isOverTls(exchange)
  write(response, isSecure, nameFor(state, isSecure), null)
}

/** Logins that give way to a new one: the oldest, which browsers name first (RFC 6265 section 5.4). */
function beginnings(exchange: Exchange, isSecure: boolean): readonly string[] {
  const names = Object.keys(exchange.request.cookies).filter((name) => name.startsWith(prefix(isSecure)))
  return names.slice(0, Math.max(0, names.length - MOST_LOGINS + 1))
}

function write(response: Response, isSecure: boolean, name: string, value: string | null): void {
  const sameSite = isSecure ? { secure: true, sameSite: 'None' } : { sameSite: 'Lax' }
  const content =
    value === null ? { value: '', maxAge: 0, expires: 'Thu, 01 Jan 1970 00:00:00 GMT' } : { value, maxAge: LIFETIME }
  response.headers.add('Set-Cookie', formatSetCookie({ name, path: '/', httpOnly: true, ...sameSite, ...content }))
}

function isOverTls(exchange: Exchange): boolean {
  return exchange.originalUri.scheme === 'https'
}

function prefix(isSecure: boolean): string {
  return isSecure ? `__Host-${PREFIX}` : PREFIX
}

function nameFor(state: string, isSecure: boolean): string {
  return prefix(isSecure) + createHash('sha256').update(state).digest('base64url').slice(0, 10)
}

function loginIn(value: string): BegunLogin | null {
  try {
    const login = parseJson(Buffer.from(value, 'base64url').toString())
    if (!isPlainObject(login)) return null
    const { state, nonce, goto } = login as Record<string, unknown>
    const isWhole = typeof state === 'string' && typeof nonce === 'string' && typeof goto === 'string'
    return isWhole ? { state, nonce, goto } : null
  } catch {
    return null
  }
}
