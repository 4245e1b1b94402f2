import { type Response, reasonPhrase, respond } from '#http'
import type { ListenerSettings } from './settings.ts'

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
const allowedMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** The answer to a request that no handler gets; it says why only where the settings have words for that. */
export function refusal(status: number, problem: string, settings: ListenerSettings): Response {
  const response = settings.refusal?.(status, problem) ?? respond(status, {}, reasonPhrase(status))
  if (status === 405) response.headers.set('Allow', allowedMethods)
  return response
}

/** A complete answer for a connection on which no response object exists; it says nothing about the gateway. */
export function rawRefusal(status: number): string {
  const reason = reasonPhrase(status)
  const allow = status === 405 ? `Allow: ${allowedMethods}\r\n` : ''
  return (
    `HTTP/1.1 ${status} ${reason}\r\nDate: ${new Date().toUTCString()}\r\n${allow}Content-Type: text/plain\r\n` +
    `X-Content-Type-Options: nosniff\r\nContent-Length: ${reason.length}\r\nConnection: close\r\n\r\n${reason}`
  )
}
