import { presentError, type Response, reasonPhrase, respond } from '#http'
import type { Http1SyntaxError } from '#http1'
import { UnknownMethodError } from './http1/request-line.ts'
import type { ListenerSettings } from './settings.ts'

/** A request that is answered without a handler, and the status it gets. */
export interface Refusal {
  readonly status: number
  readonly problem: string
  /** Advice for the operator, where the client can not avoid the refusal. */
  readonly advice?: string
  /** Whether the client ended the connection before its request was complete: nothing was denied. */
  readonly isUnfinished?: boolean
}

export const UNKNOWN_METHOD = 'a method that is not implemented'

export const REQUEST_TIMEOUT: Refusal = { status: 408, problem: 'a request that did not arrive in time' }

export const RESERVED: Refusal = { status: 404, problem: 'a reserved path' }

/** The client has ended the connection. */
export const UNFINISHED: Refusal = {
  status: 400,
  problem: 'a request that ended before it was complete',
  isUnfinished: true,
}

/** The refusal for bytes that the parser of HTTP/1.1 rejects. */
export function syntaxRefusal(error: Http1SyntaxError | UnknownMethodError): Refusal {
  if (error instanceof UnknownMethodError) return { status: 501, problem: UNKNOWN_METHOD }
  if (!error.isOverLimit) return { status: 400, problem: 'what was sent is no HTTP request' }
  if (error.part === 'chunk size') return { status: 413, problem: 'chunk extensions over the limit' }
  return { status: 431, problem: 'a request line and headers over the limit' }
}

/** For 405 (RFC 9110 section 15.5.6). */
const allowedMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** The response to a refused request; by default without the reason. */
export function refusalResponse(status: number, problem: string, settings: ListenerSettings): Response {
  const response = settings.refusal?.(status, problem) ?? respond(status, {}, reasonPhrase(status))
  if (status === 405) response.headers.set('Allow', allowedMethods)
  return response
}

/** The same as text, for a connection without a response object. */
export function rawRefusalResponse(
  { status, problem }: Refusal,
  transactionId: string,
  settings: ListenerSettings,
): { readonly message: string; readonly bytes: number } {
  const response = refusalResponse(status, problem, settings)
  if (settings.errors) presentError(settings.errors, response, null, transactionId)
  const { headers, body } = response
  if (settings.transactionIdInResponse === true) headers.set(settings.transactionIdHeader, transactionId)
  const text = body.text()
  const fields = headers.raw().reduce((all, part, at) => all + (at % 2 === 0 ? `${part}: ` : `${part}\r\n`), '')
  const bytes = Buffer.byteLength(text)
  const message =
    `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\nDate: ${new Date().toUTCString()}\r\n${fields}` +
    `Content-Length: ${bytes}\r\nConnection: close\r\n\r\n${text}`
  return { message, bytes }
}
