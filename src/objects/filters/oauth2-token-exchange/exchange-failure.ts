import { type OAuth2Failure, OAuth2FailureContext } from '#contracts'
import { type Handler, respond } from '#http'
import type { IssuedToken, TokenAnswer } from '../../lib/oauth2-client/token-request.ts'

/** The gateway's own words where no server has given one. */
const UNAVAILABLE = 'temporarily_unavailable'
const NONSENSE = 'server_error'

/** Errors that are about the gateway as a client, not about the token of the request. */
const OWN_FAULT: readonly string[] = ['invalid_client', 'unauthorized_client', 'unsupported_grant_type', NONSENSE]

/** A request that brings no token to exchange. */
export const NO_SUBJECT_TOKEN: OAuth2Failure = {
  error: 'invalid_request',
  description: 'the request has no token that could be exchanged',
  exception: null,
}

/** Data of an answer without a token, for the failure handler. */
export function failureOf(answer: Exclude<TokenAnswer, IssuedToken>): OAuth2Failure {
  if (answer.outcome === 'refused') {
    return { error: answer.error, description: answer.description, exception: null }
  }
  const exception = answer.outcome === 'unavailable' && answer.cause !== null ? { message: answer.cause.message } : null
  const error = answer.outcome === 'unavailable' ? UNAVAILABLE : NONSENSE
  return { error, description: `the token endpoint gives no token: ${answer.reason}`, exception }
}

/**
 * 503 where the server is not there, 502 where the gateway or the server is at fault, 403 where the token is. Nothing of
 * what the server said is shown (spec gap 168).
 */
export const defaultFailure: Handler = async (exchange) => {
  const { error } = exchange.context(OAuth2FailureContext) ?? NO_SUBJECT_TOKEN
  if (error === UNAVAILABLE) return respond(503, { 'Retry-After': '1' })
  return respond(OWN_FAULT.includes(error) ? 502 : 403)
}
