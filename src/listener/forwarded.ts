import { effectiveUri, type Uri } from '#http'
import {
  addressesOf,
  agreement,
  type Claim,
  claimOfElements,
  claimOfLists,
  forwardedScheme,
  isAuthority,
  isPort,
  items,
  schemesAndHostsOf,
} from './forwarded-claims.ts'
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
    const asked = origin.uri ?? uri
    pushForwarded(raw, [...addressesOf(said), peer.address].join(', '), asked)
    const kept = isUsable(schemesAndHostsOf(said)) ? said.elements : [element(origin.address, asked)]
    raw.push('Forwarded', [...kept, element(peer.address, uri)].join(', '))
    return origin
  }
  if (hasLists) {
    const origin = originOf(claimOfLists(said, peer, trusted), uri)
    appendLists(raw, said, peer, origin.uri ?? uri)
    return origin
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
  const isSame = elements.proto === claim.proto && elements.host?.toLowerCase() === claim.host?.toLowerCase()
  const keeps = isSame && isUsable(schemesAndHostsOf(said))
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

/** A value that the gateway does not use is not forwarded either: applications build links from it. */
function appendLists(raw: string[], said: ForwardedFields, peer: Peer, asked: Uri): void {
  raw.push('X-Forwarded-For', [...said.for, peer.address].join(', '))
  const schemes = items(said.proto).map(forwardedScheme)
  raw.push('X-Forwarded-Proto', listed(schemes, isSaid) ? schemes.join(', ') : asked.scheme)
  raw.push('X-Forwarded-Host', listed(items(said.host), isAuthority) ? said.host.join(', ') : asked.authority)
  raw.push('X-Forwarded-Port', listed(items(said.port), isPort) ? said.port.join(', ') : String(asked.effectivePort))
}

function listed<T>(values: readonly T[], isValid: (value: T) => boolean): boolean {
  return values.length > 0 && values.every(isValid)
}

/** Whether all schemes and hosts of Forwarded are valid; an element may be without them. */
function isUsable({ proto, host }: { readonly proto: readonly string[]; readonly host: readonly string[] }): boolean {
  const isScheme = (text: string) => text === '' || isSaid(forwardedScheme(text))
  return proto.every(isScheme) && host.every((text) => text === '' || isAuthority(text))
}

function isSaid(value: string | undefined): boolean {
  return value !== undefined
}

function element(address: string, uri: Uri): string {
  const node = address.includes(':') ? `"[${address}]"` : address
  return `for=${node};host="${uri.authority}";proto=${uri.scheme}`
}

function originOf({ address, proto, host, port }: Claim, uri: Uri): Origin {
  return { address, uri: originalUri(uri, proto, host, port) }
}

function originalUri(uri: Uri, proto: Claim['proto'], host: string | undefined, port: string | undefined): Uri | null {
  const scheme = proto ?? (uri.scheme === 'https' ? 'https' : 'http')
  const named = host ?? uri.authority
  const withPort = port !== undefined && !/:\d+$/.test(named) ? `${named}:${port}` : named
  const base = effectiveUri('/', [withPort], scheme, 'GET')
  if ('problem' in base) return null
  if (base.uri.port === (scheme === 'https' ? 443 : 80)) base.uri.port = -1
  const original = uri.clone()
  original.rebase(base.uri)
  return original.toString() === uri.toString() ? null : original
}
