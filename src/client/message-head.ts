import { dashedName, Headers, isConnectionField, isHopByHop, namesFields, removeHopByHop } from '#http'

const PLAIN_TEXT = /^[\x20-\x7e]+$/

/** Whether a request field is forwarded: not hop-by-hop, nor one that the gateway sets or has answered. */
export function isForwarded(name: string): boolean {
  return !isReplaced(name) && !isHopByHop(name)
}

/** Response headers for the client: the received bytes, without hop-by-hop fields. */
export function inboundHeaders(received: readonly string[]): Headers {
  const list: string[] = []
  let naming = false
  for (let i = 0; i < received.length; i += 2) {
    const name = received[i]!
    const value = received[i + 1]!
    if (isConnectionField(name) && namesFields(value)) naming = true
    else if (isHopByHop(name)) continue
    list.push(name, value)
  }
  const headers = Headers.fromRaw(list)
  if (naming) removeHopByHop(headers)
  return headers
}

/**
 * Trailers whose names are not in the head. A server that merges trailers into headers would otherwise let a client
 * override fields that a filter has set or removed (threats B15).
 */
export function trailersNotInHead(head: Headers, trailers: readonly string[]): string[] {
  const raw = head.raw()
  const said = new Set<string>()
  for (let i = 0; i < raw.length; i += 2) said.add(dashedName(raw[i]!))
  const list: string[] = []
  for (let i = 0; i < trailers.length; i += 2) {
    const name = trailers[i]!
    if (!said.has(dashedName(name)) && !head.isRemoved(name)) list.push(name, trailers[i + 1]!)
  }
  return list
}

/** Fields of an informational response that may bypass filters: the links of 103 (RFC 8297). */
export function informationalFields(received: readonly string[]): string[] {
  const list: string[] = []
  for (let i = 0; i < received.length; i += 2) {
    if (received[i]!.length !== 4 || received[i]!.toLowerCase() !== 'link') continue
    if (PLAIN_TEXT.test(received[i + 1]!)) list.push('Link', received[i + 1]!)
  }
  return list
}

/** Request fields without those that Connection names; copied only where Connection names further fields than the usual options. */
export function endToEnd(headers: Headers): readonly string[] {
  const raw = headers.raw()
  for (let i = 0; i < raw.length; i += 2) {
    if (!isConnectionField(raw[i]!) || !namesFields(raw[i + 1]!)) continue
    const copy = headers.clone()
    removeHopByHop(copy)
    return copy.raw()
  }
  return raw
}

/** The only hop-by-hop field that is forwarded, since the gateway relays trailers. */
export function isTrailersOption(name: string, value: string): boolean {
  return name.length === 2 && name.toLowerCase() === 'te' && value === 'trailers'
}

function isReplaced(name: string): boolean {
  if (name.length === 6) return name.toLowerCase() === 'expect'
  return name.length === 14 && name.toLowerCase() === 'content-length'
}
