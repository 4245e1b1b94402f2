/** Start of the name of Studio's session cookies; the port of the management connector follows. */
const PREFIX = 'gateway-studio-'

/** Name of the session cookie for the Studio at a port: browsers send cookies to every port of a host. */
export function studioCookieName(port: number): string {
  return `${PREFIX}${port}`
}

/** A Cookie header without the session cookies of the Studio, which must not reach routes; null where nothing is left. */
export function withoutStudioCookies(header: string): string | null {
  if (!header.includes(PREFIX)) return header
  const kept = header.split(';').filter((pair) => !pair.trimStart().startsWith(PREFIX))
  return kept.length === 0 ? null : kept.join(';').trimStart()
}
