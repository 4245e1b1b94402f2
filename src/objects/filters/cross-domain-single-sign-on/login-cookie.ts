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
const MAX_LENGTH = 6_000

/** A new login that ends at a URL. */
export function newLogin(goto: string): BegunLogin {
  return { state: randomBytes(24).toString('base64url'), nonce: randomBytes(24).toString('base64url'), goto }
}

/**
 * Keeps a login with the browser, each in a cookie of its own, since a browser may be at several login pages. The answer
 * is a form that another site posts: over TLS the cookie goes with such requests, without TLS browsers do not allow it.
 */
export function rememberLogin(response: Response, exchange: Exchange, login: BegunLogin): void {
  const value = Buffer.from(JSON.stringify(login)).toString('base64url')
  const isSecure = exchange.originalUri.scheme === 'https'
  response.headers.add('Set-Cookie', formatSetCookie({ ...cookieFor(login.state, isSecure), value, maxAge: LIFETIME }))
}

/** The login that a state belongs to; null where this browser has not begun it. Its cookie is taken off the request. */
export function recallLogin(exchange: Exchange, state: string): BegunLogin | null {
  const [cookie] = exchange.request.cookies[nameFor(state)] ?? []
  if (cookie === undefined || cookie.value.length > MAX_LENGTH) return null
  const login = loginIn(cookie.value)
  return login?.state === state ? login : null
}

/** Takes the cookie of a login away. */
export function forgetLogin(response: Response, exchange: Exchange, state: string): void {
  const isSecure = exchange.originalUri.scheme === 'https'
  const gone = { value: '', maxAge: 0, expires: 'Thu, 01 Jan 1970 00:00:00 GMT' }
  response.headers.add('Set-Cookie', formatSetCookie({ ...cookieFor(state, isSecure), ...gone }))
}

function cookieFor(state: string, isSecure: boolean) {
  const sameSite = isSecure ? { secure: true, sameSite: 'None' } : { sameSite: 'Lax' }
  return { name: nameFor(state), path: '/', httpOnly: true, ...sameSite }
}

function nameFor(state: string): string {
  return PREFIX + createHash('sha256').update(state).digest('base64url').slice(0, 10)
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
