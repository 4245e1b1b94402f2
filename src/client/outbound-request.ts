import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { ForwardProxy } from '#contracts'
import type { Body, Request, Uri } from '#http'
import { acceptsTrailers, outboundHeaders } from './message-head.ts'
import { RequestBody, type UploadObserver } from './request-body.ts'
import { headEdit, type WriteEdit } from './write-editor.ts'

/** Destination of requests. */
export interface Destination {
  readonly hostname: string
  /** Whether each connection is used for one request only. */
  readonly isUsedOnce: boolean
  /** Set where requests are sent to a proxy, in absolute form. */
  readonly proxy: ForwardProxy | null
}

/** A request in the form of undici. */
interface OutboundRequest {
  readonly options: Dispatcher.DispatchOptions
  /** Edit of the head when it is written. */
  readonly headEdit: WriteEdit | null
  /** Whether the body is streamed. */
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
  const isAsteriskForm = method === 'OPTIONS' && uri.rawPath === '*'
  const edit = headEdit(isAsteriskForm && proxy === null, acceptsTrailers(list))
  const authorization = proxy?.authorization() ?? null
  if (authorization !== null) list.push('proxy-authorization', authorization)
  const options: Dispatcher.DispatchOptions & { servername: string } = {
    method,
    path: targetOf(uri, isAsteriskForm, proxy),
    headers: list,
    body: body as Uint8Array | Readable | null,
    // Name of the target instead of the Host header: the certificate is verified against it.
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

/** The request target, in absolute form for a proxy (RFC 9112 section 3.2). */
function targetOf({ origin, rawPath, rawQuery }: Uri, isAsteriskForm: boolean, proxy: ForwardProxy | null): string {
  if (isAsteriskForm) return proxy === null ? '*' : origin
  const path = rawPath === '' ? '/' : rawPath
  return `${proxy === null ? '' : origin}${path}${rawQuery === null ? '' : `?${rawQuery}`}`
}

/** HTTP/1.1 trailers need chunked coding, which excludes Content-Length. */
function lengthToSay(body: Body): number | null {
  return body.trailers === null ? body.length : null
}
