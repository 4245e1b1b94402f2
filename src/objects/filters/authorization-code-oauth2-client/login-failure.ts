import { InvalidResponseError, OpenIdError } from '#openid'

/** An invalid request to `login`, `callback` or `logout`. */
export class LoginRequestError extends OpenIdError {
  constructor(description: string) {
    super('invalid_request', description, false)
  }
}

/** Errors of a server that deny access to this user. */
const REFUSALS = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'login_required',
  'unmet_authentication_requirements',
])

/** The status of a failed login: 400 and 403 for the browser, 500 for the gateway, 503 for the server. */
export function statusOf(error: OpenIdError): number {
  if (error.unavailable) return 503
  if (error instanceof LoginRequestError || error instanceof InvalidResponseError) return 400
  // A code that has been used already, for example by a reload.
  if (error.error === 'invalid_grant') return 400
  return REFUSALS.has(error.error) ? 403 : 500
}
