import type { ForwardProxy } from '#contracts'
import { equalsIgnoreCase, isToken, type Request, SAFE_METHODS, type TraceFields, type Uri } from '#http'
import type { OutboundRequest } from './dispatcher.ts'
import { endToEnd, isForwarded, isTrailersOption } from './message-head.ts'

/** Destination of requests. */
export interface Destination {
  /** Host and port of the origin. */
  readonly authority: string
  /** Whether each connection is used for one request only. */
  readonly isUsedOnce: boolean
  /** Set where requests are sent to a proxy, in absolute form. */
  readonly proxy: ForwardProxy | null
}

/** Buffered request bodies up to this size are written in one piece with the head. */
export const PIECE_BYTES = 65_536

/** Outside of field values and Latin-1: Node would write the low byte of other characters, which may be a line break. */
const UNSAFE = /[^\t\x20-\x7e\x80-\xff]/
const UNSAFE_IN_TARGET = /[^\x21-\x7e\x80-\xff]/
/** A segment that servers resolve, some of them after they have removed path parameters. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:[/;]|%3b|$)/i

/**
 * The request for the upstream: without hop-by-hop fields (RFC 9110 section 7.6.1) except `TE: trailers`, and without
 * `Expect`, which the gateway has answered. Throws where it can not be expressed in HTTP: a line break in any part would
 * be another field or request (threats B29). Headers and Uri check the same when they are set. `trace` replaces the trace context.
 */
export function outboundRequest(
  request: Request,
  { authority, isUsedOnce, proxy }: Destination,
  trace: TraceFields | null,
): OutboundRequest {
  const { method, uri, body } = request
  if (!isToken(method) || method === 'CONNECT') throw invalid('method', 'a token other than CONNECT')
  const raw = endToEnd(request.headers)
  const fields: string[] = []
  let host: string | null = null
  let acceptsTrailers = false
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!
    const value = raw[i + 1]!
    if (isHost(name)) {
      if (host !== null) throw invalid('Host', 'one value')
      if (UNSAFE.test(value)) throw unsafe('Host')
      host = value
      continue
    }
    if (isTrailersOption(name, value)) acceptsTrailers = true
    else if (!isForwarded(name) || (trace !== null && isTraceField(name))) continue
    if (!isToken(name) || UNSAFE.test(value)) throw unsafe('header')
    fields.push(name, value)
  }
  if (trace !== null) pushTraceFields(fields, trace)
  const authorization = proxy?.authorization() ?? null
  if (authorization !== null) {
    if (UNSAFE.test(authorization)) throw unsafe('proxy credentials')
    fields.push('proxy-authorization', authorization)
  }
  const isPiece =
    body.trailers === null && body.isBuffered && !body.isEmpty && body.length !== null && body.length <= PIECE_BYTES
  const isStreamed = !isPiece && !body.isEmpty
  return {
    method,
    target: requestTarget(method, uri, proxy),
    host: host ?? authority,
    fields,
    acceptsTrailers,
    bytes: isPiece ? body.bytes() : null,
    stream: isStreamed ? body : null,
    // Trailers need chunked coding, which excludes Content-Length.
    length: isPiece || (isStreamed && body.trailers === null) ? body.length : null,
    isLast: isUsedOnce || mayDesynchronise(method, body.isEmpty),
  }
}

/** Whether servers may leave the body of the request unread: its bytes would be their next request (threats B26). */
function mayDesynchronise(method: string, hasNoBody: boolean): boolean {
  return !hasNoBody && SAFE_METHODS.has(method)
}

/** Whether requests of this method announce that they have no body (RFC 9110 section 8.6). */
export function sendsLengthWithoutBody(method: string): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH'
}

/** Drops trailers with invalid characters. */
export function validTrailers(trailers: readonly string[]): string[] {
  const list: string[] = []
  for (let i = 0; i < trailers.length; i += 2) {
    if (isToken(trailers[i]!) && !UNSAFE.test(trailers[i + 1]!)) list.push(trailers[i]!, trailers[i + 1]!)
  }
  return list
}

/** The request target, in absolute form for a proxy (RFC 9112 section 3.2). */
function requestTarget(method: string, { origin, rawPath, rawQuery }: Uri, proxy: ForwardProxy | null): string {
  if (method === 'OPTIONS' && rawPath === '*') return proxy === null ? '*' : origin
  const path = rawPath === '' ? '/' : rawPath
  rejectDotSegments(path)
  const target = `${proxy === null ? '' : origin}${path}${rawQuery === null ? '' : `?${rawQuery}`}`
  if (!path.startsWith('/') || UNSAFE_IN_TARGET.test(target)) throw unsafe('URI')
  return target
}

/**
 * Paths of clients are normalized. One that a filter or script made of their data may contain dot segments: the server would
 * serve another resource than conditions and policies have seen (threats B1).
 */
function rejectDotSegments(path: string): void {
  if ((path.includes('/.') || path.includes('/%2')) && DOT_SEGMENT.test(path)) throw invalid('URI', 'no dot segments')
}

function unsafe(part: string): Error {
  return invalid(part, 'characters that its syntax allows')
}

/** Adds the trace context to a flat list. */
function pushTraceFields(fields: string[], { traceparent, tracestate }: TraceFields): void {
  fields.push('traceparent', traceparent)
  if (tracestate !== null) fields.push('tracestate', tracestate)
}

/** Whether a field belongs to the trace context of a request. */
function isTraceField(name: string): boolean {
  if (name.length === 11) return equalsIgnoreCase(name, 'traceparent')
  return name.length === 10 && equalsIgnoreCase(name, 'tracestate')
}

function isHost(name: string): boolean {
  return name.length === 4 && (name === 'Host' || name.toLowerCase() === 'host')
}

function invalid(part: string, expected: string): Error {
  return new Error(`${part}: expected ${expected}`)
}
