import { Headers, namesFields, type ReceivedTraceContext, removeHopByHop, withoutManagementCookies } from '#http'
import { connectionOptions } from './connection-options.ts'
import type { FieldKinds } from './header-field.ts'
import * as field from './header-field.ts'
import type { Refusal } from './refusal.ts'

/** Forwarding fields of a trusted proxy, as received. */
export interface ForwardedFields {
  readonly for: string[]
  readonly proto: string[]
  readonly host: string[]
  readonly port: string[]
  readonly elements: string[]
}

/** Parsed header fields of a request: values the gateway acts on, and the list for filters. */
export interface RequestHead {
  readonly raw: string[]
  readonly hosts: readonly string[]
  readonly userAgent: string | null
  /** Declared bytes; -1 when chunked, 0 without a body. */
  readonly bodyLength: number
  /** Null without any, or from an untrusted peer. */
  readonly forwarded: ForwardedFields | null
  /** Null without any, and where the gateway does not trace. */
  readonly trace: ReceivedTraceContext | null
  /** Whether Connection names fields, which `headersOf` removes. */
  readonly connectionLists: boolean
  /** Index of the value of Host in `raw`, or -1. */
  readonly hostAt: number
  /** Whether the client can read trailers (RFC 9110 section 10.1.4). */
  readonly wantsTrailers: boolean
  /** Options of Connection, as bits of `connection-options.ts`. */
  readonly connection: number
  readonly expect: string | null
  readonly upgrade: string | null
}

// The parser limits only their bytes (threats B89).
const maxFields = 1000

const LISTS_TRAILERS = /(?:^|,)[ \t]*trailers[ \t]*(?:,|$)/i

const noHosts: readonly string[] = []

/** Parses the raw header list in one pass: framing, Host, and fields only a trusted proxy may send. */
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
  let trace: ReceivedTraceContext | null = null
  let connectionLists = false
  let wantsTrailers = false
  let connection = 0
  let expect: string | null = null
  let upgrade: string | null = null

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
        connection |= connectionOptions(value)
        if (namesFields(value)) {
          connectionLists = true
          raw.push(name, value)
        }
        break
      case field.expect:
        expect = expect === null ? value : `${expect}, ${value}`
        break
      case field.upgrade:
        upgrade = upgrade === null ? value : `${upgrade}, ${value}`
        break
      case field.te:
        wantsTrailers ||= LISTS_TRAILERS.test(value)
        break
      case field.cookie:
      case field.trafficCookie: {
        const kept = kind === field.cookie ? value : withoutManagementCookies(value)
        if (kept === null) break
        // RFC 6265 section 5.4: one field; servers treat several differently.
        if (cookieAt < 0) cookieAt = raw.push(name, kept) - 1
        else raw[cookieAt] = `${raw[cookieAt]}; ${kept}`
        break
      }
      case field.drop:
        break
      case field.traceParent:
      case field.traceState:
        trace ??= { parents: [], states: [] }
        ;(kind === field.traceParent ? trace.parents : trace.states).push(value)
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
  return {
    raw,
    hosts,
    userAgent,
    bodyLength,
    forwarded,
    trace,
    connectionLists,
    hostAt,
    wantsTrailers,
    connection,
    expect,
    upgrade,
  }
}

/** The headers for filters, without hop-by-hop fields (threats B16). */
export function headersOf(head: RequestHead): Headers {
  const headers = Headers.ofClient(head.raw)
  if (head.connectionLists) removeHopByHop(headers)
  // The gateway relays trailers of the next hop, but no transfer codings.
  if (head.wantsTrailers) headers.set('TE', 'trailers')
  return headers
}

function valuesOf(forwarded: ForwardedFields, kind: number): string[] {
  if (kind === field.forwardedFor) return forwarded.for
  if (kind === field.forwardedProto) return forwarded.proto
  if (kind === field.forwardedHost) return forwarded.host
  return kind === field.forwardedPort ? forwarded.port : forwarded.elements
}

/** RFC 9112 section 6: one unambiguous body length, or a refusal. */
function framing(length: string | null, encoding: string | null, version: string): number | Refusal {
  if (encoding === null) {
    if (length === null) return 0
    return /^\d{1,15}$/.test(length) ? Number(length) : { status: 400, problem: 'a bad Content-Length' }
  }
  if (length !== null) return { status: 400, problem: 'both Content-Length and Transfer-Encoding' }
  if (version !== '1.1') return { status: 400, problem: 'Transfer-Encoding in an HTTP/1.0 request' }
  return encoding.toLowerCase() === 'chunked' ? -1 : { status: 400, problem: 'a Transfer-Encoding other than chunked' }
}
