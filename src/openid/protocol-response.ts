import { jsonObjectIn } from '#json'
import { ServerUnreachableError } from './server-unreachable-error.ts'

/** Media types and statuses that an endpoint may respond with. */
export type ResponseForm =
  /** Token endpoint and pushed authorization requests: always JSON. */
  | 'json'
  /** User info: JSON or a JWT; an error is in a header (RFC 6750 section 3). */
  | 'user info'
  /** Revocation: no body, or an error in JSON. */
  | 'empty'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/

/**
 * Throws ServerUnreachableError for a response that does not follow the protocol, with any status: it comes from a proxy in
 * front of the server, or from a server that is starting, stopping or overloaded, and does not mean that a token is invalid.
 */
export function checkProtocolResponse(
  form: ResponseForm,
  status: number,
  contentType: string,
  content: Uint8Array,
): void {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (status === 408 || status === 429 || status >= 500) throw unavailable(status, type)
  if (form === 'empty' && status === 200) return
  if (form === 'user info') {
    const isRefusal = status === 400 || status === 401 || status === 403
    if (isRefusal && type !== 'text/html') return
    if (status === 200 && type === 'application/jwt') return
  }
  const isRefused = status >= 400 && status <= 499
  if (!isRefused && status !== 200 && status !== 201) throw unavailable(status, type)
  const body = JSON_TYPE.test(type) ? jsonObjectIn(content) : null
  if (body === null && JSON_TYPE.test(type))
    throw unavailable(status, `${type} without an object that has each member once`)
  // An error response of the protocol has an error code (RFC 6749 section 5.2).
  if (body === null || (isRefused && typeof body['error'] !== 'string')) throw unavailable(status, type)
}

function unavailable(status: number, type: string): ServerUnreachableError {
  const found = type === '' ? 'no content type' : `content of type ${type.slice(0, 100)}`
  return new ServerUnreachableError(`the server answered with status ${status} and ${found}, which is not the protocol`)
}
