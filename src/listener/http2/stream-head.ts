import { type AdmittedRequest, admitHead } from '../admission.ts'
import type { ListenerContext } from '../listener-context.ts'
import { isMethod } from '../method.ts'
import type { Peer } from '../peer.ts'
import type { Refusal } from '../refusal.ts'
import { readHead } from '../request-head.ts'

/** Overhead counted for each header field (RFC 9113 section 6.5.2). */
const FIELD_COST = 32

// nghttp2 refuses them too; in HTTP/1.1 they would end the field.
const LINE_BREAK_OR_NUL = /[\0\r\n]/

/** The fields of a request, with cookie crumbs joined. */
interface Fields {
  readonly pseudo: ReadonlyMap<string, string>
  readonly list: string[]
  readonly hosts: readonly string[]
  readonly bytes: number
  readonly declaresLength: boolean
}

/** Validates the head of a stream, as `admit` does for HTTP/1.1 (threats B9, B89). */
export function admitStream(
  raw: readonly string[],
  endsWithHead: boolean,
  peer: Peer,
  { settings, fields: kinds }: Pick<ListenerContext, 'settings' | 'fields'>,
): AdmittedRequest | Refusal {
  const fields = splitFields(raw)
  if ('problem' in fields) return fields
  const { pseudo, list, hosts, bytes, declaresLength } = fields
  if (bytes > settings.maxTotalHeadersSize) return { status: 431, problem: 'headers over the limit' }
  const method = pseudo.get(':method') ?? ''
  if (!isMethod(method)) return { status: 400, problem: 'malformed method' }
  const authority = authorityOf(pseudo.get(':authority'), hosts, peer)
  if (typeof authority !== 'string') return authority
  // The connection decides the scheme (threats B14).
  if (!isAllowedScheme(pseudo.get(':scheme'), peer)) {
    return { status: 400, problem: 'a scheme other than the connection has' }
  }
  const path = pseudo.get(':path') ?? ''
  if (!path.startsWith('/') && path !== '*') return { status: 400, problem: 'malformed :path' }
  // Filters and HTTP/1.1 upstreams read Host.
  const head = readHead(['Host', authority, ...list], kinds, peer.trust, '2')
  if ('problem' in head) return head
  const bodyLength = endsWithHead ? 0 : declaresLength ? head.bodyLength : -1
  return admitHead(method, '2', path, { ...head, bodyLength }, peer, settings)
}

/** Proxies that terminate TLS forward the scheme of the client; it has no effect beside their forwarding headers. */
function isAllowedScheme(scheme: string | undefined, { scheme: own, trust }: Peer): boolean {
  return scheme === own || (trust === 'trusted' && (scheme === 'http' || scheme === 'https'))
}

export function expectsContinue(raw: readonly string[]): boolean {
  for (let i = 0; i < raw.length; i += 2) if (raw[i] === 'expect') return raw[i + 1]!.toLowerCase() === '100-continue'
  return false
}

function splitFields(raw: readonly string[]): Fields | Refusal {
  const pseudo = new Map<string, string>()
  const list: string[] = []
  const hosts: string[] = []
  const crumbs: string[] = []
  let bytes = 0
  let declaresLength = false
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!
    const value = raw[i + 1]!
    bytes += name.length + value.length + FIELD_COST
    if (LINE_BREAK_OR_NUL.test(value)) return { status: 400, problem: 'a line break or NUL in a field' }
    if (name.startsWith(':')) {
      if (pseudo.has(name)) return { status: 400, problem: `more than one ${name}` }
      pseudo.set(name, value)
    } else if (name === 'host') hosts.push(value)
    else if (name === 'cookie') crumbs.push(value)
    else {
      declaresLength ||= name === 'content-length'
      list.push(name, value)
    }
  }
  // RFC 9113 section 8.2.3.
  if (crumbs.length > 0) list.push('cookie', crumbs.join('; '))
  return { pseudo, list, hosts, bytes, declaresLength }
}

/** RFC 9113 section 8.3.1: `:authority`, and Host must equal it. */
function authorityOf(authority: string | undefined, hosts: readonly string[], peer: Peer): string | Refusal {
  if (hosts.length > 1) return { status: 400, problem: 'more than one Host' }
  const [host] = hosts
  if (authority === undefined) return host ?? { status: 400, problem: 'neither :authority nor Host' }
  if (host === undefined || plain(host, peer) === plain(authority, peer)) return authority
  return { status: 400, problem: ':authority and Host name different servers' }
}

function plain(authority: string, { scheme }: Peer): string {
  return authority.toLowerCase().replace(scheme === 'https' ? /:443$/ : /:80$/, '')
}
