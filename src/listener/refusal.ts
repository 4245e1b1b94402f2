import { type Response, reasonPhrase, respond } from '#http'
import { type ParserError, stoppedAtUnknownMethod } from './method.ts'
import type { ListenerSettings } from './settings.ts'

/** A request that is answered without a handler, and the status it gets. */
export interface Refusal {
  readonly status: number
  readonly problem: string
  /** What the operator can do about it, where the client can not. */
  readonly advice?: string
}

export const UNKNOWN_METHOD = 'a method that is not implemented'

export const REQUEST_TIMEOUT: Refusal = { status: 408, problem: 'a request that did not arrive in time' }

export const CHUNK_EXTENSIONS_OVERFLOW: Refusal = { status: 413, problem: 'chunk extensions over the limit' }

/** Why the parser refused a request; `isStart` where the packet it stopped in began a request. */
export function parserProblem(error: ParserError, isStart: boolean): Refusal {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, problem: 'a request line and headers over the limit' }
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return CHUNK_EXTENSIONS_OVERFLOW
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return REQUEST_TIMEOUT
    default:
      if (isStart && stoppedAtUnknownMethod(error)) return { status: 501, problem: UNKNOWN_METHOD }
      return { status: 400, problem: 'what was sent is no HTTP request' }
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

/** The same for a connection on which no response object exists, as text. */
export function rawRefusal(status: number, problem: string, settings: ListenerSettings): string {
  const { headers, body } = refusal(status, problem, settings)
  const text = body.text()
  const fields = headers.raw().reduce((all, part, at) => all + (at % 2 === 0 ? `${part}: ` : `${part}\r\n`), '')
  return (
    `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\nDate: ${new Date().toUTCString()}\r\n${fields}` +
    `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`
  )
}
