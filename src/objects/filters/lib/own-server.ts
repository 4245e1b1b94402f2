import { defaultPort, type Exchange, parseAuthority, Uri } from '#http'

/** A reference in a response header, cut where its path begins and ends; joined again it is what was written. */
interface Reference {
  /** Scheme and authority as written; empty for a reference without them. */
  readonly server: string
  readonly path: string
  /** Query and fragment, with their marks. */
  readonly rest: string
}

const PARTS = /^((?:[^:/?#]+:)?(?:\/\/[^/?#]*)?)([^?#]*)(.*)$/s

/** Cuts a reference. Nothing is decoded or encoded, so that what is not changed goes out as it came. */
export function cutReference(value: string): Reference {
  const [, server = '', path = '', rest = ''] = PARTS.exec(value) ?? []
  return { server, path, rest }
}

/** A further name of a server; without a port, that of the scheme it is called by. */
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
 * Whether the scheme and authority of a reference name the server the request went to, by a name that server can know
 * itself by: the one it was called by, the Host it received, the one the client used, or a further one of the
 * configuration. Anything else is a link to someone else and no business of ours (threats B64).
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

/** Null for what has no host, is not HTTP, or can not be read. A reference that starts with `//` keeps the scheme. */
function serverOf(server: string, scheme: string): Uri | null {
  if (!/^(?:https?:)?\/\/[^\\]+$/i.test(server)) return null
  try {
    return Uri.parse(server.startsWith('//') ? `${scheme}:${server}` : server)
  } catch {
    return null
  }
}
