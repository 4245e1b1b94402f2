import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { ForwardProxy } from '#contracts'
import type { Body, Request, Uri } from '#http'
import { asksForTrailers, outboundHeaders } from './message-head.ts'
import { RequestBody, type UploadObserver } from './request-body.ts'
import { headEdit, type TextEdit } from './written-text.ts'

/** Where requests go. */
export interface Destination {
  readonly hostname: string
  /** Whether each connection carries one request only. */
  readonly isUsedOnce: boolean
  /** Set where requests are handed to a proxy, which is told the whole URI. */
  readonly proxy: ForwardProxy | null
}

/** A request as undici takes it. */
export interface OutboundRequest {
  readonly options: Dispatcher.DispatchOptions
  /** What is to be changed in its head when it is written. */
  readonly headEdit: TextEdit | null
  /** Whether its body is sent as it comes. */
  readonly isStreamed: boolean
}

/** Buffered request bodies up to this size are written in one piece with the head. */
export const PIECE_BYTES = 65_536

export function outboundRequest(request: Request, destination: Destination, observer: UploadObserver): OutboundRequest {
  const { method, uri, headers } = request
  const body = outboundBody(request.body, observer)
  const isStreamed = body instanceof RequestBody
  const { hostname, proxy, isUsedOnce } = destination
  const list = outboundHeaders(headers, isStreamed ? lengthToSay(request.body) : null)
  const isAboutServer = method === 'OPTIONS' && uri.rawPath === '*'
  const edit = headEdit(isAboutServer && proxy === null, asksForTrailers(list))
  const authorization = proxy?.authorization() ?? null
  if (authorization !== null) list.push('proxy-authorization', authorization)
  const options: Dispatcher.DispatchOptions & { servername: string } = {
    method,
    path: targetOf(uri, isAboutServer, proxy),
    headers: list,
    body: body as Uint8Array | Readable | null,
    // Of the target, never of the Host field: the certificate is checked against it.
    servername: hostname,
  }
  if (isUsedOnce) options.reset = true
  return { options, headEdit: edit, isStreamed }
}

function outboundBody(body: Body, observer: UploadObserver): Uint8Array | RequestBody | null {
  if (body.isEmpty) return null
  if (body.trailers === null && body.isBuffered && body.length !== null && body.length <= PIECE_BYTES)
    return body.bytes()
  return new RequestBody(body, observer)
}

/** The request target in the form that its reader needs (RFC 9112 section 3.2). */
function targetOf({ origin, rawPath, rawQuery }: Uri, isAboutServer: boolean, proxy: ForwardProxy | null): string {
  if (isAboutServer) return proxy === null ? '*' : origin
  const path = rawPath === '' ? '/' : rawPath
  return `${proxy === null ? '' : origin}${path}${rawQuery === null ? '' : `?${rawQuery}`}`
}

/** In HTTP/1.1 trailers only follow chunks, which have no length before them. */
function lengthToSay(body: Body): number | null {
  return body.trailers === null ? body.length : null
}
