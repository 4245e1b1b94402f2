import { defaultPort, type Exchange, formatSetCookie, parseCookieHeader, studioCookieName } from '#http'

/** The id of the Studio's session in a request; null without a cookie, or with several of its name. */
export function sessionIdIn({ request, originalUri }: Exchange): string | null {
  const header = request.headers.all('cookie')
  if (header.length === 0) return null
  const name = studioCookieName(portOf(originalUri))
  const found = header.flatMap(parseCookieHeader).filter((cookie) => cookie.name === name)
  return found.length === 1 ? (found[0]?.value ?? null) : null
}

/** Set-Cookie for a session, or for its removal. Without Max-Age: the browser drops it when it is closed. */
export function sessionCookie({ originalUri, client }: Exchange, id: string | null): string {
  return formatSetCookie({
    name: studioCookieName(portOf(originalUri)),
    value: id ?? '',
    // The API is at `/api` and at `/<prefix>/api`.
    path: '/',
    httpOnly: true,
    sameSite: 'Strict',
    secure: client.secure,
    ...(id === null && { maxAge: 0 }),
  })
}

/** The port in the address that the browser uses, which may be mapped to another. */
function portOf({ port, scheme }: Exchange['originalUri']): number {
  return port < 0 ? defaultPort(scheme) : port
}
