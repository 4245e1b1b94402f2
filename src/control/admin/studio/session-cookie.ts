import { defaultPort, type Exchange, formatSetCookie, parseCookieHeader, studioCookieName } from '#http'

/** Cookies of the name that are read; browsers send more only where a page of the host has set them for many paths. */
const MAX_COOKIES = 32

/**
 * The ids of sessions of the Studio in a request. Pages on other ports of the host, and of its parent domain, can set further
 * cookies of the name, which must not lock out: an id is only valid where a session has it.
 */
export function sessionIdsIn({ request, originalUri }: Exchange): readonly string[] {
  const header = request.headers.all('cookie')
  if (header.length === 0) return []
  const name = studioCookieName(portOf(originalUri))
  const found = header.flatMap(parseCookieHeader).filter((cookie) => cookie.name === name)
  return found.slice(0, MAX_COOKIES).map(({ value }) => value)
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
