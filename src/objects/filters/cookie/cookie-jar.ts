import { type Cookie, isPublicSuffix, type Session, type Uri } from '#http'
import type { JsonValue } from '#json'
import { MANAGED_COOKIES } from '../../lib/sessions/application-content.ts'

const MAX_COOKIES = 50
const MAX_LENGTH = 4_096

/** A stored cookie (RFC 6265 section 5.3). */
interface Kept {
  readonly name: string
  readonly value: string
  readonly domain: string
  /** Whether it is sent to the host that set it, and not to its subdomains. */
  readonly hostOnly: boolean
  readonly path: string
  readonly secure: boolean
  /** Milliseconds since the epoch; null for a session cookie. */
  readonly expiresAt: number | null
}

/** Cookies of applications, stored in the session instead of the browser. */
export class CookieJar {
  readonly #session: Session
  readonly #now: number

  constructor(session: Session, now: number) {
    this.#session = session
    this.#now = now
  }

  /** Cookies for a request, the longest path first (RFC 6265 section 5.4). */
  cookiesFor(uri: Uri): readonly { readonly name: string; readonly value: string }[] {
    const matching = this.#kept().filter((cookie) => isFor(cookie, uri) && !this.#isOver(cookie))
    return matching.sort((left, right) => right.path.length - left.path.length)
  }

  /** Stores the cookies of an application; ignores cookies that are for another host or too long. */
  keep(cookies: readonly Cookie[], uri: Uri): void {
    const taken = cookies.flatMap((cookie) => keptFrom(cookie, uri, this.#now) ?? [])
    if (taken.length === 0) return
    let jar = this.#kept().filter((cookie) => !this.#isOver(cookie))
    for (const cookie of taken) {
      jar = jar.filter((other) => !isSame(cookie, other))
      if (!this.#isOver(cookie)) jar.push(cookie)
    }
    // The oldest are evicted, as in browsers.
    if (jar.length === 0) this.#session.delete(MANAGED_COOKIES)
    else this.#session.set(MANAGED_COOKIES, jar.slice(-MAX_COOKIES) as unknown as JsonValue)
  }

  #isOver({ expiresAt }: Kept): boolean {
    return expiresAt !== null && expiresAt <= this.#now
  }

  #kept(): Kept[] {
    const jar = this.#session.get(MANAGED_COOKIES)
    return Array.isArray(jar) ? (jar as Kept[]) : []
  }
}

function keptFrom(cookie: Cookie, uri: Uri, now: number): Kept | null {
  const { name, value, secure = false } = cookie
  if (name === '' || name.length + value.length > MAX_LENGTH) return null
  const host = uri.host.toLowerCase()
  const wanted = (cookie.domain ?? '').replace(/^\./, '').toLowerCase()
  if (wanted !== '' && !isWithin(host, wanted)) return null
  // RFC 6265 section 5.3: a host that is itself a public suffix can only set host-only cookies.
  const domain = wanted === host && isShared(wanted) ? '' : wanted
  if (secure && uri.scheme !== 'https') return null
  const path = cookie.path?.startsWith('/') === true ? cookie.path : defaultPath(uri)
  return {
    name,
    value,
    domain: domain === '' ? host : domain,
    hostOnly: domain === '',
    path,
    secure,
    expiresAt: endOf(cookie, now),
  }
}

function endOf({ maxAge, expires }: Cookie, now: number): number | null {
  if (maxAge !== undefined) return maxAge <= 0 ? 0 : now + maxAge * 1_000
  const at = expires === undefined ? Number.NaN : Date.parse(expires)
  return Number.isNaN(at) ? null : at
}

/** The path up to its last slash (RFC 6265 section 5.1.4). */
function defaultPath(uri: Uri): string {
  const last = uri.rawPath.lastIndexOf('/')
  return last <= 0 ? '/' : uri.rawPath.slice(0, last)
}

function isFor({ domain, hostOnly, path, secure }: Kept, uri: Uri): boolean {
  const host = uri.host.toLowerCase()
  if (hostOnly ? host !== domain : !isWithin(host, domain)) return false
  if (secure && uri.scheme !== 'https') return false
  const asked = uri.rawPath === '' ? '/' : uri.rawPath
  return asked === path || (asked.startsWith(path) && (path.endsWith('/') || asked[path.length] === '/'))
}

/**
 * Domain matching of RFC 6265 section 5.1.3: an address matches only itself. A domain shared by several owners matches no subdomain.
 */
function isWithin(host: string, domain: string): boolean {
  if (host === domain) return true
  return host.endsWith(`.${domain}`) && !/^[\d.]+$/.test(host) && !host.includes(':') && !isShared(domain)
}

/** Whether names below a domain belong to different owners: a public suffix, and any top-level domain. */
function isShared(domain: string): boolean {
  return !domain.includes('.') || isPublicSuffix(domain)
}

function isSame(left: Kept, right: Kept): boolean {
  return left.name === right.name && left.domain === right.domain && left.path === right.path
}
