/**
 * Whether metadata at a URL may name an issuer: the URL is that of the issuer with the well-known part behind its path (OpenID Connect
 * Discovery 1.0 section 4.3) or before it (RFC 8414 section 3.3). Otherwise any server could name the issuer of another one.
 */
export function isIssuerAt(url: string, issuer: string): boolean {
  const { origin, pathname } = new URL(url)
  const path = /^(.*)\/\.well-known\/[^/]+$/.exec(pathname) ?? /^\/\.well-known\/[^/]+(\/.*)$/.exec(pathname)
  const named = URL.parse(issuer)
  if (path === null || named === null || named.search !== '' || named.hash !== '') return false
  return named.origin === origin && normalPath(named.pathname) === normalPath(path[1] as string)
}

/** Without slashes at the end, and with a realm of an access manager in its short form: it answers at both, and names one. */
function normalPath(path: string): string {
  const plain = path.replace(/\/+$/, '')
  const realm = /^(.*\/oauth2)(?:\/realms\/root)?((?:\/realms\/[^/]+)*)$/.exec(plain)
  return realm === null ? plain : `${realm[1]}${realm[2]?.replaceAll('/realms/', '/')}`
}
