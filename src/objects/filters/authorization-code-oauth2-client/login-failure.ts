import { pageResponse, type Response } from '#http'
import { OpenIdError } from '#openid'

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

const TEXTS: Readonly<Record<number, string>> = {
  400: 'This login can not be completed: it is over, was begun in another browser, or waited for too long.',
  403: 'The login was refused.',
  500: 'The login failed.',
  503: 'The login is not available at the moment. Try again in a few seconds.',
}

/** The page for a failed login; `again` is the URL of a new one. It shows fixed texts only, none from the URL. */
export function failurePage(error: OpenIdError, again: string, transactionId: string): Response {
  const status = statusOf(error)
  const code = /^[a-z_]{1,60}$/.test(error.error) ? error.error : 'server_error'
  const response = pageResponse(status, {
    title: status === 503 ? 'Please try again' : 'Not logged in',
    text: `${TEXTS[status]} (${code})`,
    link: { href: again, label: 'Log in again' },
    transactionId,
  })
  if (status === 503) response.headers.set('Retry-After', '5')
  return response
}

function statusOf(error: OpenIdError): number {
  if (error.unavailable) return 503
  // A code that has been used already, for example by a reload.
  if (error instanceof LoginRequestError || error.error === 'invalid_grant') return 400
  return REFUSALS.has(error.error) ? 403 : 500
}
