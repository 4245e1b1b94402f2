import type { OutboundRequest } from '../dispatcher.ts'
import { sendsLengthWithoutBody } from '../outbound-request.ts'

/** Request fields of a stream: pseudo-header fields first, lower case, Host as `:authority` (RFC 9113 section 8.3.1). */
export function streamFields(origin: URL, request: OutboundRequest): string[] {
  const { method, target, host, fields, length, stream } = request
  const scheme = origin.protocol.slice(0, -1)
  const list = [':method', method, ':scheme', scheme, ':authority', host, ':path', target]
  for (let i = 0; i < fields.length; i += 2) list.push(fields[i]!.toLowerCase(), fields[i + 1]!)
  if (length !== null) list.push('content-length', String(length))
  else if (stream === null && sendsLengthWithoutBody(method)) list.push('content-length', '0')
  return list
}

/** Trailers in the form of node:http2. */
export function trailerFields(trailers: readonly string[]): Record<string, string[]> {
  const fields: Record<string, string[]> = Object.create(null)
  for (let i = 0; i < trailers.length; i += 2) {
    const name = trailers[i]!.toLowerCase()
    fields[name] = [...(fields[name] ?? []), trailers[i + 1]!]
  }
  return fields
}

/** Received fields without pseudo-header fields. */
export function withoutPseudoFields(raw: readonly string[]): string[] {
  const list: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    if (!raw[i]!.startsWith(':')) list.push(raw[i]!, raw[i + 1]!)
  }
  return list
}

/** Content-Length of a response; null without one. */
export function announcedLength(raw: readonly string[]): number | null {
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i] !== 'content-length') continue
    const length = Number(raw[i + 1])
    return Number.isSafeInteger(length) ? length : null
  }
  return null
}
