import { type Exchange, formatSetCookie, type Response } from '#http'

/** The name of a cookie that, over TLS, no other host of the domain can have set (threats B44). */
export function hostCookieName(exchange: Exchange, name: string): string {
  return isOverTls(exchange) ? `__Host-${name}` : name
}

/** How long a host cookie lives, and whether it goes with forms that other sites post. */
interface HostCookieOptions {
  /** Seconds. */
  readonly maxAge: number
  /** Only over TLS do browsers send a cookie with such a form. */
  readonly isPosted?: boolean
}

/** Writes a host cookie, by its whole name; null takes it away. */
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

function isOverTls(exchange: Exchange): boolean {
  return exchange.originalUri.scheme === 'https'
}
