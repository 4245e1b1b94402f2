import { Headers, namesFields, removeHopByHop } from '#http'
import type { FieldKinds } from './header-field.ts'
import * as field from './header-field.ts'
import type { Refusal } from './refusal.ts'

/** What a trusted proxy said about the client, as received. */
export interface ForwardedFields {
  readonly for: string[]
  readonly proto: string[]
  readonly host: string[]
  readonly port: string[]
  readonly elements: string[]
}

/** What the header fields of a request say: what the gateway acts on, and the list that filters see. */
export interface RequestHead {
  readonly raw: string[]
  readonly hosts: readonly string[]
  readonly userAgent: string | null
  /** Bytes declared; -1 when the body is chunked, 0 when there is none. */
  readonly bodyLength: number
  /** Null unless the peer is a trusted proxy that sent any of them. */
  readonly forwarded: ForwardedFields | null
  /** Whether Connection names fields of its own, which `headersOf` then removes. */
  readonly connectionLists: boolean
  /** Where the value of Host stands in `raw`, or -1. */
  readonly hostAt: number
  /** Whether the client can read trailers (RFC 9110 section 10.1.4). */
  readonly wantsTrailers: boolean
}

// More fields than any client sends; the parser alone bounds only their bytes (threats B89).
const maxFields = 1000

const LISTS_TRAILERS = /(?:^|,)[ \t]*trailers[ \t]*(?:,|$)/i

const noHosts: readonly string[] = []

/** Reads the raw header list once: framing, host, and what the peer may not say about others. */
export function readHead(
  list: readonly string[],
  kinds: FieldKinds,
  peer: 'trusted' | 'untrusted',
  version: string,
): RequestHead | Refusal {
  if (list.length > 2 * maxFields) return { status: 431, problem: `more than ${maxFields} header fields` }
  const raw: string[] = []
  let hosts = noHosts
  let hostAt = -1
  let cookieAt = -1
  let userAgent: string | null = null
  let length: string | null = null
  let encoding: string | null = null
  let forwarded: ForwardedFields | null = null
  let connectionLists = false
  let wantsTrailers = false

  for (let i = 0; i < list.length; i += 2) {
    const name = list[i]!
    const value = list[i + 1]!
    const kind = kinds.kindOf(name)
    switch (kind) {
      case field.keep:
        raw.push(name, value)
        break
      case field.userAgent:
        userAgent ??= value
        raw.push(name, value)
        break
      case field.host:
        hosts = hosts.length === 0 ? [value] : [...hosts, value]
        hostAt = raw.push(name, value) - 1
        break
      case field.contentLength:
        if (length !== null) return { status: 400, problem: 'more than one Content-Length' }
        length = value
        raw.push(name, value)
        break
      case field.transferEncoding:
        if (encoding !== null) return { status: 400, problem: 'more than one Transfer-Encoding' }
        encoding = value
        break
      case field.connection:
        if (namesFields(value)) {
          connectionLists = true
          raw.push(name, value)
        }
        break
      case field.te:
        wantsTrailers ||= LISTS_TRAILERS.test(value)
        break
      case field.cookie:
        // RFC 6265 section 5.4: one field; servers differ in what they make of several.
        if (cookieAt < 0) cookieAt = raw.push(name, value) - 1
        else raw[cookieAt] = `${raw[cookieAt]}; ${value}`
        break
      case field.drop:
        break
      case field.forwardedOther:
        if (peer === 'trusted') raw.push(name, value)
        break
      default:
        if (peer === 'trusted') {
          forwarded ??= { for: [], proto: [], host: [], port: [], elements: [] }
          valuesOf(forwarded, kind).push(value)
        }
    }
  }

  const bodyLength = framing(length, encoding, version)
  if (typeof bodyLength !== 'number') return bodyLength
  return { raw, hosts, userAgent, bodyLength, forwarded, connectionLists, hostAt, wantsTrailers }
}

/** The headers that filters see: nothing that concerns the client's connection alone (threats B16). */
export function headersOf(head: RequestHead): Headers {
  const headers = Headers.fromRaw(head.raw)
  if (head.connectionLists) removeHopByHop(headers)
  // Said anew for the next hop, which the gateway relays trailers from; codings it does not relay.
  if (head.wantsTrailers) headers.set('TE', 'trailers')
  return headers
}

function valuesOf(forwarded: ForwardedFields, kind: number): string[] {
  if (kind === field.forwardedFor) return forwarded.for
  if (kind === field.forwardedProto) return forwarded.proto
  if (kind === field.forwardedHost) return forwarded.host
  return kind === field.forwardedPort ? forwarded.port : forwarded.elements
}

/** RFC 9112 section 6: exactly one way to tell where the body ends, or a refusal; the strictest reading decides. */
function framing(length: string | null, encoding: string | null, version: string): number | Refusal {
  if (encoding === null) {
    if (length === null) return 0
    return /^\d{1,15}$/.test(length) ? Number(length) : { status: 400, problem: 'a bad Content-Length' }
  }
  if (length !== null) return { status: 400, problem: 'both Content-Length and Transfer-Encoding' }
  if (version !== '1.1') return { status: 400, problem: 'Transfer-Encoding in an HTTP/1.0 request' }
  return encoding.toLowerCase() === 'chunked' ? -1 : { status: 400, problem: 'a Transfer-Encoding other than chunked' }
}
