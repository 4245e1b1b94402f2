import { reasonPhrase } from '#http'

/** The status for what the parser would not take. */
export function statusOfParserError(code: string | undefined): number {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return 431
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 413
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408
    default:
      return 400
  }
}

/** Methods named to a client whose method is refused (RFC 9110 section 15.5.6). */
export const allowedMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** A complete answer for a connection on which no response object exists; it says nothing about the gateway. */
export function rawRefusal(status: number): string {
  const reason = reasonPhrase(status)
  const allow = status === 405 ? `Allow: ${allowedMethods}\r\n` : ''
  return (
    `HTTP/1.1 ${status} ${reason}\r\nDate: ${new Date().toUTCString()}\r\n${allow}Content-Type: text/plain\r\n` +
    `X-Content-Type-Options: nosniff\r\nContent-Length: ${reason.length}\r\nConnection: close\r\n\r\n${reason}`
  )
}
