import type { Call } from '../http/call.ts'
import { type EndpointResponse, oauthError } from '../http/endpoint-response.ts'
import { isMediaType } from '../http/request-body.ts'

/** The form of a request; parameters must not be repeated (RFC 6749 section 3.2). */
export function readForm({ headers, body }: Call): URLSearchParams | EndpointResponse {
  if (!isMediaType(headers['content-type'], 'application/x-www-form-urlencoded'))
    return oauthError('invalid_request', 'Content-Type must be application/x-www-form-urlencoded')
  const form = new URLSearchParams(body)
  const names = [...form.keys()]
  // RFC 8693 section 2.1 allows these two to be repeated.
  const repeated = names.find((name, at) => name !== 'resource' && name !== 'audience' && names.indexOf(name) !== at)
  return repeated === undefined ? form : oauthError('invalid_request', `Duplicate request parameter '${repeated}'`)
}
