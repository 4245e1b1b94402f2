import { defaultPort, type Exchange, parseAuthority, Uri } from '#http'

/** A URI reference in a response header, split before and after its path. Joining the parts restores the original. */
interface Reference {
  /** Scheme and authority as written; empty for a reference without them. */
  readonly server: string
  readonly path: string
  /** Query and fragment, with `?` and `#`. */
  readonly rest: string
}

const PARTS = /^((?:[^:/?#]+:)?(?:\/\/[^/?#]*)?)([^?#]*)(.*)$/s

/** Splits a reference. Nothing is decoded or encoded, so that unchanged parts are sent as received. */
export function splitReference(value: string): Reference {
  const [, server = '', path = '', rest = ''] = PARTS.exec(value) ?? []
  return { server, path, rest }
}

/** An additional name of a server; without a port, the default port of the scheme. */
export interface ServerName {
  readonly host: string
  readonly port: number | null
}

/** Reads `app.example.com`, `app.example.com:8080` or `http://app.example.com:8080`. */
export function parseServerName(text: string): ServerName | { readonly problem: string } {
  const [, scheme = null, authority = ''] = /^(?:(https?):\/\/)?(.*?)\/?$/i.exec(text) ?? []
  const parsed = parseAuthority(authority)
  if ('problem' in parsed) {
    const got = JSON.stringify(text.slice(0, 80))
    return { problem: `expected a name such as "app.example.com:8080" or "http://app.example.com", got ${got}` }
  }
  const { host, port } = parsed
  if (port >= 0) return { host, port }
  return { host, port: scheme === null ? null : defaultPort(scheme.toLowerCase()) }
}

/**
 * Whether the scheme and authority of a reference are those of the upstream: of the request URI, of the Host header sent to it, of the
 * original URI, or of a configured additional name. Links to other servers are not rewritten (threats B64).
 */
export function namesOwnServer(
  { server }: Reference,
  { request, originalUri }: Exchange,
  furtherNames: readonly ServerName[] = [],
): boolean {
  const named = serverOf(server, request.uri.scheme)
  if (named === null) return false
  for (const { host, port } of furtherNames) {
    if (named.host === host && named.effectivePort === (port ?? defaultPort(named.scheme))) return true
  }
  const received = parseAuthority(request.headers.get('host') ?? '')
  if (!('problem' in received)) {
    const port = received.port < 0 ? defaultPort(request.uri.scheme) : received.port
    if (named.host === received.host && named.effectivePort === port) return true
  }
  return [request.uri, originalUri].some(
    ({ host, effectivePort }) => named.host === host && named.effectivePort === effectivePort,
  )
}

/** Null for a reference without a host, of another scheme than HTTP, or malformed. A reference that starts with `//` keeps the scheme. */
function serverOf(server: string, scheme: string): Uri | null {
  if (!/^(?:https?:)?\/\/[^\\]+$/i.test(server)) return null
  try {
    return Uri.parse(server.startsWith('//') ? `${scheme}:${server}` : server)
  } catch {
    return null
  }
}
