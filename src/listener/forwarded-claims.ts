import { isIP, SocketAddress } from 'node:net'
import { parseAuthority, parsePort, plainAddress } from '#http'
import type { Peer, TrustedProxies } from './peer.ts'
import type { ForwardedFields } from './request-head.ts'

type ForwardedScheme = 'http' | 'https'

/** The client as described by proxies, in Forwarded or in X-Forwarded-*. */
export interface Claim {
  readonly address: string
  readonly proto: ForwardedScheme | undefined
  readonly host: string | undefined
  readonly port: string | undefined
}

const maxHops = 50

/** The claim of X-Forwarded-*. */
export function claimOfLists(said: ForwardedFields, peer: Peer, trusted: TrustedProxies): Claim {
  const lists = { for: items(said.for), proto: items(said.proto), host: items(said.host), port: items(said.port) }
  return claim(lists, peer, trusted)
}

/** The claim of Forwarded (RFC 7239). */
export function claimOfElements(said: ForwardedFields, peer: Peer, trusted: TrustedProxies): Claim {
  return claim(fromElements(said.elements), peer, trusted)
}

/** The values that two claims share; null where they contradict each other. */
export function agreement(one: Claim, other: Claim): Claim | null {
  if (one.address !== other.address) return null
  if (differ(one.proto, other.proto) || differ(one.host, other.host)) return null
  const said = <T>(a: T | undefined, b: T | undefined) => (b === undefined ? undefined : a)
  return {
    address: one.address,
    proto: said(one.proto, other.proto),
    host: said(one.host, other.host),
    port: undefined,
  }
}

/** The addresses of Forwarded, in the form of X-Forwarded-For. */
export function addressesOf(said: ForwardedFields): string[] {
  return fromElements(said.elements).for.map((node) => nodeAddress(node) ?? 'unknown')
}

function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one.toLowerCase() !== other.toLowerCase()
}

interface Hops {
  readonly for: readonly string[]
  readonly proto: readonly string[]
  readonly host: readonly string[]
  readonly port: readonly string[]
}

function claim(said: Hops, peer: Peer, trusted: TrustedProxies): Claim {
  const { address, hops } = rightmostUntrusted(said.for, peer, trusted)
  return {
    address,
    proto: forwardedScheme(hopValue(said.proto, hops) ?? ''),
    host: valid(hopValue(said.host, hops), isAuthority),
    port: valid(hopValue(said.port, hops), isPort),
  }
}

/** A malformed value is ignored alone: the others still describe the connection of the client. */
function valid(text: string | undefined, isValid: (text: string) => boolean): string | undefined {
  return text !== undefined && isValid(text) ? text : undefined
}

export function isAuthority(text: string): boolean {
  return !('problem' in parseAuthority(text))
}

export function isPort(text: string): boolean {
  return parsePort(text) !== null
}

/** The scheme that a proxy names; others than those of HTTP are ignored. Traefik names WebSocket requests `ws` and `wss`. */
export function forwardedScheme(text: string): ForwardedScheme | undefined {
  const scheme = text.toLowerCase()
  if (scheme === 'http' || scheme === 'https') return scheme
  return scheme === 'ws' ? 'http' : scheme === 'wss' ? 'https' : undefined
}

/** The schemes and hosts of the elements of Forwarded. */
export function schemesAndHostsOf(said: ForwardedFields): Pick<Hops, 'proto' | 'host'> {
  return fromElements(said.elements)
}

export function items(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(',')).map((item) => item.trim())
}

// Each proxy adds one element: `for=192.0.2.43;proto=https;host="example.com"`.
function fromElements(values: readonly string[]): Hops {
  const claims = { for: [] as string[], proto: [] as string[], host: [] as string[], port: [] as string[] }
  for (const element of items(values)) {
    const pairs = new Map(element.split(';').map(pair))
    claims.for.push(pairs.get('for') ?? '')
    claims.proto.push(pairs.get('proto') ?? '')
    claims.host.push(pairs.get('host') ?? '')
  }
  return claims
}

function pair(text: string): [string, string] {
  const equals = text.indexOf('=')
  if (equals < 0) return ['', '']
  const value = text.slice(equals + 1).trim()
  const quoted = value.startsWith('"') && value.endsWith('"') && value.length > 1
  return [text.slice(0, equals).trim().toLowerCase(), quoted ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value]
}

// Entries to the left of the first untrusted one were written by the client and are ignored.
function rightmostUntrusted(
  hops: readonly string[],
  peer: Peer,
  trusted: TrustedProxies,
): { address: string; hops: number } {
  let address = peer.address
  for (let i = 1; i <= hops.length && i <= maxHops; i++) {
    const next = nodeAddress(hops[hops.length - i]!)
    if (next === null) return { address, hops: Math.max(1, i - 1) }
    address = next
    if (!trusted.has(address)) return { address, hops: i }
  }
  return { address, hops: Math.max(1, Math.min(hops.length, maxHops)) }
}

/**
 * The address of an entry that may carry a port: `1.2.3.4:80`, `[::1]:80`, `::1`. In one spelling, since proxies have several for an
 * IPv6 address, and throttling would count each of them (threats B20).
 */
function nodeAddress(node: string): string | null {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(node)?.[1]
  const address = bracketed ?? node.replace(/^([\d.]+):\d{1,5}$/, '$1')
  const family = isIP(address)
  if (family === 0 || address.includes('%')) return null
  return family === 4 ? address : plainAddress(new SocketAddress({ address, family: 'ipv6' }).address)
}

// Proxies either append one value for each hop or forward the single value of the first.
function hopValue(values: readonly string[], hops: number): string | undefined {
  const value = values[Math.max(0, values.length - hops)]
  return value === '' ? undefined : value
}
