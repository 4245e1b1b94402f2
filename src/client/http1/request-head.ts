import type { OutboundRequest } from '../dispatcher.ts'
import { sendsLengthWithoutBody } from '../outbound-request.ts'

/** The head of a request, in Latin-1, up to and including its empty line; its parts were checked by `outboundRequest`. */
export function requestHead(request: OutboundRequest): string {
  const { method, target, host, fields } = request
  let head = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${connectionOptions(request)}\r\n`
  for (let i = 0; i < fields.length; i += 2) head += `${fields[i]}: ${fields[i + 1]}\r\n`
  return `${head}${framing(request)}\r\n`
}

/** The trailer section of a chunked body, and the empty line that ends it (RFC 9112 section 7.1.2). */
export function trailerSection(trailers: readonly string[]): string {
  let section = ''
  for (let i = 0; i < trailers.length; i += 2) section += `${trailers[i]}: ${trailers[i + 1]}\r\n`
  return `${section}\r\n`
}

/** RFC 9110 section 10.1.4: TE is hop-by-hop, so Connection names it. */
function connectionOptions({ isLast, acceptsTrailers }: OutboundRequest): string {
  const option = isLast ? 'close' : 'keep-alive'
  return acceptsTrailers ? `${option}, TE` : option
}

function framing({ method, stream, length }: OutboundRequest): string {
  if (length !== null) return `content-length: ${length}\r\n`
  if (stream !== null) return 'transfer-encoding: chunked\r\n'
  return sendsLengthWithoutBody(method) ? 'content-length: 0\r\n' : ''
}
