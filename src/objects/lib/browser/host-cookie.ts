import { type Exchange, formatSetCookie, type Response } from '#http'
import { takeCookies } from '../sessions/session-cookie.ts'

/** Name of a cookie with the prefix `__Host-` over TLS, so that other hosts of the domain can not set it (threats B44). */
export function hostCookieName(exchange: Exchange, name: string): string {
  return isOverTls(exchange) ? `__Host-${name}` : name
}

interface HostCookieOptions {
  /** Seconds. */
  readonly maxAge: number
  /** Whether the cookie is sent with forms that other sites post; browsers do so only over TLS. */
  readonly isPosted?: boolean
}

/** Writes a host cookie by its full name; null deletes it. */
export function writeHostCookie(
  response: Response,
  exchange: Exchange,
  name: string,
  value: string | null,
  { maxAge, isPosted = false }: HostCookieOptions,
): void {
  const isSecure = isOverTls(exchange)
  const sameSite = isSecure && isPosted ? 'None' : 'Lax'
  const content =
    value === null ? { value: '', maxAge: 0, expires: 'Thu, 01 Jan 1970 00:00:00 GMT' } : { value, maxAge }
  const attributes = { path: '/', httpOnly: true, ...(isSecure && { secure: true }), sameSite }
  response.headers.add('Set-Cookie', formatSetCookie({ name, ...attributes, ...content }))
}

/** Removes the cookies whose names begin with a prefix from a request, and has them removed from the response of an application. */
export function withholdHostCookies(exchange: Exchange, prefix: string): void {
  const isOurs = (name: string) => name.startsWith(prefix) || name.startsWith(`__Host-${prefix}`)
  exchange.reserveCookies({ includes: isOurs })
  const { request } = exchange
  if (request.headers.all('cookie').some((field) => field.includes(prefix))) takeCookies(request, isOurs)
}

function isOverTls(exchange: Exchange): boolean {
  return exchange.originalUri.scheme === 'https'
}
