const STUDIO = 'gateway-studio-'
/** Starts of the names of cookies for the management connector. */
const PREFIXES = [STUDIO, 'gateway-admin-'] as const

/** Default name of the session cookie of filters in `adminProtection`. */
export const ADMIN_SESSION_COOKIE = 'gateway-admin-session'

/** Name of the session cookie for the Studio at a port: browsers send cookies to every port of a host. */
export function studioCookieName(port: number): string {
  return `${STUDIO}${port}`
}

/** A Cookie header without the cookies of the management connector, which must not reach routes; null where nothing is left. */
export function withoutManagementCookies(header: string): string | null {
  if (!PREFIXES.some((prefix) => header.includes(prefix))) return header
  const kept = header.split(';').filter((pair) => !isManagementCookie(pair.trimStart()))
  return kept.length === 0 ? null : kept.join(';').trimStart()
}

/** Whether a name, or a pair that begins with it, is of a cookie for the management connector. */
export function isManagementCookie(name: string): boolean {
  return PREFIXES.some((prefix) => name.startsWith(prefix))
}
