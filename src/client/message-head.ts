import { dashedName, Headers, isConnectionField, isHopByHop, namesFields, removeHopByHop } from '#http'

const PLAIN_TEXT = /^[\x20-\x7e]+$/
const REASON = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Request headers for the upstream: without hop-by-hop fields (RFC 9110 section 7.6.1) except `TE: trailers`, without
 * `Expect`, which the gateway has answered, and with Content-Length only where the transport does not add it.
 */
export function outboundHeaders(headers: Headers, streamedLength: number | null): string[] {
  const raw = endToEnd(headers)
  const list: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!
    if (isReplaced(name) || (isHopByHop(name) && !isTrailersOption(name, raw[i + 1]!))) continue
    list.push(name, raw[i + 1]!)
  }
  if (streamedLength !== null) list.push('content-length', String(streamedLength))
  return list
}

/** Whether the list has `TE: trailers`; Connection must then name TE. */
export function acceptsTrailers(list: readonly string[]): boolean {
  for (let i = 0; i < list.length; i += 2) if (isTrailersOption(list[i]!, list[i + 1]!)) return true
  return false
}

/** Response headers for the client: the received bytes, without hop-by-hop fields. */
export function inboundHeaders(received: readonly (Buffer | string)[]): Headers {
  const list: string[] = []
  let naming = false
  for (let i = 0; i < received.length; i += 2) {
    const name = received[i]!.toString('latin1')
    const value = received[i + 1]!.toString('latin1')
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
export function informationalFields(received: readonly (Buffer | string)[]): string[] {
  const list: string[] = []
  for (let i = 0; i < received.length; i += 2) {
    if (received[i]!.length !== 4 || received[i]!.toString('latin1').toLowerCase() !== 'link') continue
    const value = received[i + 1]!.toString('latin1')
    if (PLAIN_TEXT.test(value)) list.push('Link', value)
  }
  return list
}

/**
 * Whether a response has no transfer coding but `chunked`: the transport would not decode it, and Transfer-Encoding is
 * not forwarded (RFC 9112 section 6.1).
 */
export function isFramingSupported(received: readonly Buffer[]): boolean {
  let codings = 0
  for (let i = 0; i < received.length; i += 2) {
    const name = received[i]!
    if (name.length !== 17 || name.toString('latin1').toLowerCase() !== 'transfer-encoding') continue
    if (++codings > 1 || received[i + 1]!.toString('latin1').trim().toLowerCase() !== 'chunked') return false
  }
  return true
}

/** Response trailers as a flat list; null without any. The listener filters them. */
export function inboundTrailers(received: readonly (Buffer | string)[] | null | undefined): string[] | null {
  if (!Array.isArray(received) || received.length === 0) return null
  return received.map((part: Buffer | string) => part.toString('latin1'))
}

/** Whether a reason phrase may be forwarded: undici decodes it as UTF-8, and other bytes become U+FFFD. */
export function isReasonPhrase(text: string): boolean {
  return REASON.test(text)
}

/** Whether the version of a response is 1.0 or 1.1; Node's parser accepts 0.9 and 2.0 too. */
export function isHttp1({ httpVersion }: { readonly httpVersion: string }): boolean {
  return httpVersion === '1.1' || httpVersion === '1.0'
}

/** End-to-end fields; copied only where Connection names further fields than the usual options. */
function endToEnd(headers: Headers): readonly string[] {
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
function isTrailersOption(name: string, value: string): boolean {
  return name.length === 2 && name.toLowerCase() === 'te' && value === 'trailers'
}

function isReplaced(name: string): boolean {
  if (name.length === 6) return name.toLowerCase() === 'expect'
  return name.length === 14 && name.toLowerCase() === 'content-length'
}
