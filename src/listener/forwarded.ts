import { effectiveUri, type Uri } from '#http'
import { addressesOf, agreement, type Claim, claimOfElements, claimOfLists } from './forwarded-claims.ts'
import type { Peer, TrustedProxies } from './peer.ts'
import type { Refusal } from './refusal.ts'
import type { ForwardedFields, RequestHead } from './request-head.ts'
import type { ForwardingHeader } from './settings.ts'

/** The client as described by trusted proxies. */
export interface Origin {
  readonly address: string
  /** The URI the client requested; null where it equals the URI of the request. */
  readonly uri: Uri | null
}

/** Sets X-Forwarded-* from the connection, for an untrusted peer. */
export function setForwarded(raw: string[], peer: Peer, uri: Uri): void {
  pushForwarded(raw, peer.address, uri)
}

/** Appends the trusted peer to its forwarding headers, and determines the client (RFC 7239; threats B13). */
export function extendForwarded(
  head: RequestHead,
  peer: Peer,
  uri: Uri,
  trusted: TrustedProxies,
  header: ForwardingHeader,
): Origin | Refusal {
  const { raw, forwarded: said } = head
  const hasElements = said !== null && said.elements.length > 0 && header !== 'X-Forwarded-For'
  const hasLists = said !== null && header !== 'Forwarded'
  if (hasElements && hasLists && said.for.length > 0) return extendBoth(raw, said, peer, uri, trusted)
  if (hasElements) {
    const origin = originOf(claimOfElements(said, peer, trusted), uri)
    pushForwarded(raw, [...addressesOf(said), peer.address].join(', '), origin.uri ?? uri)
    raw.push('Forwarded', [...said.elements, element(peer.address, uri)].join(', '))
    return origin
  }
  if (hasLists) {
    appendLists(raw, said, peer, uri)
    return originOf(claimOfLists(said, peer, trusted), uri)
  }
  setForwarded(raw, peer, uri)
  return { address: peer.address, uri: null }
}

const DISAGREEMENT: Refusal = {
  status: 400,
  problem: 'Forwarded and X-Forwarded-* that contradict each other',
  advice: 'a trusted proxy sends both, or lets one of clients pass; set trustedForwardingHeader in admin.json',
}

/** With both headers, one may come from the client: only values in both are used. */
function extendBoth(
  raw: string[],
  said: ForwardedFields,
  peer: Peer,
  uri: Uri,
  trusted: TrustedProxies,
): Origin | Refusal {
  const elements = claimOfElements(said, peer, trusted)
  const claim = agreement(claimOfLists(said, peer, trusted), elements)
  if (claim === null) return DISAGREEMENT
  const origin = originOf(claim, uri)
  const asked = origin.uri ?? uri
  pushForwarded(raw, [...said.for, peer.address].join(', '), asked)
  const keeps = elements.proto === claim.proto && elements.host?.toLowerCase() === claim.host?.toLowerCase()
  const kept = keeps ? said.elements : [element(origin.address, asked)]
  raw.push('Forwarded', [...kept, element(peer.address, uri)].join(', '))
  return origin
}

function pushForwarded(raw: string[], addresses: string, uri: Uri): void {
  raw.push(
    'X-Forwarded-For',
    addresses,
    'X-Forwarded-Proto',
    uri.scheme,
    'X-Forwarded-Host',
    uri.authority,
    'X-Forwarded-Port',
    String(uri.effectivePort),
  )
}

function appendLists(raw: string[], said: ForwardedFields, peer: Peer, uri: Uri): void {
  raw.push('X-Forwarded-For', [...said.for, peer.address].join(', '))
  raw.push('X-Forwarded-Proto', said.proto.length > 0 ? said.proto.join(', ') : uri.scheme)
  raw.push('X-Forwarded-Host', said.host.length > 0 ? said.host.join(', ') : uri.authority)
  raw.push('X-Forwarded-Port', said.port.length > 0 ? said.port.join(', ') : String(uri.effectivePort))
}

function element(address: string, uri: Uri): string {
  const node = address.includes(':') ? `"[${address}]"` : address
  return `for=${node};host="${uri.authority}";proto=${uri.scheme}`
}

function originOf({ address, proto, host, port }: Claim, uri: Uri): Origin {
  return { address, uri: originalUri(uri, proto, host, port) }
}

function originalUri(
  uri: Uri,
  proto: string | undefined,
  host: string | undefined,
  port: string | undefined,
): Uri | null {
  const scheme = proto === 'http' || proto === 'https' ? proto : uri.scheme === 'https' ? 'https' : 'http'
  const named = host ?? uri.authority
  const withPort = port !== undefined && !/:\d+$/.test(named) ? `${named}:${port}` : named
  const base = effectiveUri('/', [withPort], scheme, 'GET')
  if ('problem' in base) return null
  if (base.uri.port === (scheme === 'https' ? 443 : 80)) base.uri.port = -1
  const original = uri.clone()
  original.rebase(base.uri)
  return original.toString() === uri.toString() ? null : original
}
