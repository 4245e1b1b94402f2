import { type OAuth2Failure, OAuth2FailureContext } from '#contracts'
import { type Handler, respond } from '#http'
import { reasonWithError } from '../../lib/audit/known-error.ts'
import type { IssuedToken, TokenResult } from '../../lib/outbound-auth/token-request.ts'

/** Error codes of the gateway, where the server sent none. */
const UNAVAILABLE = 'temporarily_unavailable'
const SERVER_ERROR = 'server_error'

/** Errors of the gateway as a client or of the server, not of the token of the request. */
const GATEWAY_ERRORS: readonly string[] = [
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  SERVER_ERROR,
]

/** A request without a token to exchange. */
export const NO_SUBJECT_TOKEN: OAuth2Failure = {
  error: 'invalid_request',
  description: 'the request has no token that could be exchanged',
  exception: null,
}

/** Data of a result without a token, for the failure handler. */
export function failureOf(result: Exclude<TokenResult, IssuedToken>): OAuth2Failure {
  if (result.outcome === 'refused') {
    return { error: result.error, description: result.description, exception: null }
  }
  const exception = result.outcome === 'unavailable' && result.cause !== null ? { message: result.cause.message } : null
  const error = result.outcome === 'unavailable' ? UNAVAILABLE : SERVER_ERROR
  return { error, description: `token request failed: ${result.reason}`, exception }
}

/** Reason of the decision about a result without a token. The description of a server may quote the token of the request. */
export function reasonOf(result: Exclude<TokenResult, IssuedToken>): string {
  if (result.outcome !== 'refused') return failureOf(result).description
  return reasonWithError('the authorization server refused the exchange', result.error)
}

/** 503 for an unavailable server, 502 for an error of the gateway or the server, 403 for a rejected token. */
export function statusOf({ error }: OAuth2Failure): 403 | 502 | 503 {
  if (error === UNAVAILABLE) return 503
  return GATEWAY_ERRORS.includes(error) ? 502 : 403
}

/** The error text of the server is not sent (spec gap 168). */
export const defaultFailure: Handler = async (exchange) => {
  const status = statusOf(exchange.context(OAuth2FailureContext) ?? NO_SUBJECT_TOKEN)
  return respond(status, status === 503 ? { 'Retry-After': '1' } : {})
}
