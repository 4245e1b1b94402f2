import { isIP } from 'node:net'
import { effectiveUri, plainAddress, type Uri } from '#http'
import type { Peer, TrustedProxies } from './peer.ts'
import type { ForwardedFields, RequestHead } from './request-head.ts'

/** The client as the trusted proxies in front of the gateway describe it. */
export interface Origin {
  readonly address: string
  /** The URI the client asked for, or null when it is the one the gateway got. */
  readonly uri: Uri | null
}

const maxHops = 50

/** Adds what the gateway itself says about the client to the headers, when no proxy has said anything that counts. */
export function setForwarded(raw: string[], peer: Peer, uri: Uri): void {
  raw.push(
    'X-Forwarded-For',
    peer.address,
    'X-Forwarded-Proto',
    uri.scheme,
    'X-Forwarded-Host',
    uri.authority,
    'X-Forwarded-Port',
    String(uri.effectivePort),
  )
}

/** Adds the trusted peer itself to what it said about the client, and reads who the client is (RFC 7239; threats B13). */
export function extendForwarded(head: RequestHead, peer: Peer, uri: Uri, trusted: TrustedProxies): Origin {
  const said = head.forwarded
  if (said === null) {
    setForwarded(head.raw, peer, uri)
    return { address: peer.address, uri: null }
  }
  append(head.raw, said, peer, uri)
  return readOrigin(said, peer, uri, trusted)
}

function append(raw: string[], said: ForwardedFields, peer: Peer, uri: Uri): void {
  raw.push('X-Forwarded-For', [...said.for, peer.address].join(', '))
  raw.push('X-Forwarded-Proto', said.proto.length > 0 ? said.proto.join(', ') : uri.scheme)
  raw.push('X-Forwarded-Host', said.host.length > 0 ? said.host.join(', ') : uri.authority)
  raw.push('X-Forwarded-Port', said.port.length > 0 ? said.port.join(', ') : String(uri.effectivePort))
  if (said.elements.length === 0) return
  const node = peer.address.includes(':') ? `"[${peer.address}]"` : peer.address
  raw.push('Forwarded', [...said.elements, `for=${node};host="${uri.authority}";proto=${uri.scheme}`].join(', '))
}

function readOrigin(said: ForwardedFields, peer: Peer, uri: Uri, trusted: TrustedProxies): Origin {
  const claims = said.for.length > 0 || said.elements.length === 0 ? fromLists(said) : fromElements(said.elements)
  const { address, hops } = rightmostUntrusted(claims.for, peer, trusted)
  const proto = hopValue(claims.proto, hops)?.toLowerCase()
  const host = hopValue(claims.host, hops)
  const port = hopValue(claims.port, hops)
  return { address, uri: originalUri(uri, proto, host, port) }
}

interface Claims {
  readonly for: readonly string[]
  readonly proto: readonly string[]
  readonly host: readonly string[]
  readonly port: readonly string[]
}

function fromLists(said: ForwardedFields): Claims {
  return { for: items(said.for), proto: items(said.proto), host: items(said.host), port: items(said.port) }
}

function items(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(',')).map((item) => item.trim())
}

// One element of Forwarded is what one proxy saw: `for=192.0.2.43;proto=https;host="example.com"`.
function fromElements(values: readonly string[]): Claims {
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

// Entries to the left of the first untrusted one were written by the client: nothing there counts.
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

/** The address of an entry that may carry a port: `1.2.3.4:80`, `[::1]:80`, `::1`. */
function nodeAddress(node: string): string | null {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(node)?.[1]
  const address = plainAddress(bracketed ?? node.replace(/^([\d.]+):\d{1,5}$/, '$1'))
  return isIP(address) === 0 || address.includes('%') ? null : address
}

// Proxies either add to these lists, one value for each hop, or pass on the single value of the first.
function hopValue(values: readonly string[], hops: number): string | undefined {
  const value = values[Math.max(0, values.length - hops)]
  return value === '' ? undefined : value
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
