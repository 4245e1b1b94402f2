/**
 * Error codes of authorization servers: RFC 6749 sections 4.1.2.1 and 5.2, RFC 8693 section 2.2.2, OpenID Connect Core 1.0 section
 * 3.1.2.6.
 */
const KNOWN_ERRORS: ReadonlySet<string> = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
])

/** The reason of a decision with a received error code. Another text than a known code may be data of the request, and is left out. */
export function reasonWithError(reason: string, error: string): string {
  return KNOWN_ERRORS.has(error) ? `${reason} (${error})` : reason
}
