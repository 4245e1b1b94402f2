import { type Authority, parseAuthority } from './host-name.ts'
import { normalizePath, normalizeQuery } from './request-path.ts'
import { defaultPort, Uri } from './uri.ts'

/**
 * The URI of a request, from its request line and Host (RFC 9112 section 3.3), in the normal form used by conditions,
 * policy decisions, cache keys and the upstream; or the reason for a 400.
 */
export function effectiveUri(
  target: string,
  hosts: readonly string[],
  scheme: 'http' | 'https',
  method: string,
): { uri: Uri } | { problem: string } {
  if (hosts.length === 0) return { problem: 'no Host' }
  if (hosts.length > 1) return { problem: 'more than one Host' }
  const authority = parseAuthority(hosts[0]!)
  if ('problem' in authority) return authority
  if (target === '*') {
    return method === 'OPTIONS' ? made(scheme, authority, '*', null) : { problem: 'only OPTIONS may ask for "*"' }
  }
  if (target.startsWith('/')) return fromOrigin(target, authority, scheme)
  return fromAbsolute(target, authority, scheme, method)
}

function fromOrigin(target: string, authority: Authority, scheme: string): { uri: Uri } | { problem: string } {
  const mark = target.indexOf('?')
  const path = normalizePath(mark < 0 ? target : target.slice(0, mark))
  if ('problem' in path) return path
  if (mark < 0) return made(scheme, authority, path.text, null)
  const query = normalizeQuery(target.slice(mark + 1))
  if ('problem' in query) return query
  return made(scheme, authority, path.text, query.text)
}

/** RFC 9112 section 3.2.2. The client does not choose the scheme: that would let it claim TLS (threats B8, B14). */
function fromAbsolute(
  target: string,
  authority: Authority,
  scheme: string,
  method: string,
): { uri: Uri } | { problem: string } {
  const [, claimed, named, rest] = /^(https?):\/\/([^/?#]*)(.*)$/is.exec(target) ?? []
  if (claimed === undefined) return { problem: 'the request target is neither a path nor an http URI' }
  if (claimed.toLowerCase() !== scheme) return { problem: 'the request target has another scheme than the connection' }
  const other = parseAuthority(named!)
  if ('problem' in other) return other
  const port = (each: Authority) => (each.port < 0 ? defaultPort(scheme) : each.port)
  if (other.host !== authority.host || port(other) !== port(authority)) {
    return { problem: 'the request target and Host name different servers' }
  }
  // RFC 9112 section 3.2.4: to a server, this is `OPTIONS *`.
  if (rest === '' && method === 'OPTIONS') return made(scheme, authority, '*', null)
  return fromOrigin(rest!.startsWith('/') ? rest! : `/${rest}`, authority, scheme)
}

function made(scheme: string, { host, port }: Authority, rawPath: string, rawQuery: string | null): { uri: Uri } {
  return { uri: new Uri({ scheme, userInfo: null, host, port, rawPath, rawQuery, rawFragment: null }) }
}
