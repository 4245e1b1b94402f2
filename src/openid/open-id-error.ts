import { AuthorizationResponseError, ResponseBodyError } from 'oauth4webapi'
import { ServerUnreachableError } from './server-unreachable-error.ts'

/** Why a step of the protocol failed. */
export class OpenIdError extends Error {
  /** The `error` of the protocol, such as `access_denied`; `server_error` for an invalid response. */
  readonly error: string
  /** Description by the server or of the failed validation; without secrets. */
  readonly description: string
  /** Whether the provider was unreachable, so that a retry may succeed. */
  readonly unavailable: boolean

  constructor(error: string, description: string, unavailable: boolean, options?: ErrorOptions) {
    super(`${error}: ${description}`, options)
    this.name = 'OpenIdError'
    this.error = error
    this.description = description
    this.unavailable = unavailable
  }
}

/** An authorization response that does not answer the request of this login. It comes through the browser, which can change it. */
export class InvalidResponseError extends OpenIdError {
  constructor(description: string, options?: ErrorOptions) {
    super('invalid_request', `the authorization response is invalid: ${description}`, false, options)
    this.name = 'InvalidResponseError'
  }
}

/** Runs a step of the protocol; converts all errors to OpenIdErrors. */
export async function protocolErrors<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    throw asOpenIdError(cause)
  }
}

/** Errors that correspond to 5xx in a response by redirect (RFC 6749 section 4.1.2.1). */
const TEMPORARY = ['temporarily_unavailable', 'server_error']

const CREDENTIALS_ADVICE =
  'check clientId, its secret and tokenEndpointAuthMethod: a server that does not decode form-encoded Basic credentials (RFC 6749 section 2.3.1), such as OpenAM, needs client_secret_post, here and at its client'

/** Untrusted text, made safe for logs and pages. */
function printable(text: string): string {
  return text.slice(0, 300).replace(/[^\x20-\x7e]/g, '?')
}

function asOpenIdError(cause: unknown): OpenIdError {
  if (cause instanceof OpenIdError) return cause
  if (cause instanceof ServerUnreachableError)
    return new OpenIdError('temporarily_unavailable', cause.message, true, { cause })
  if (cause instanceof AuthorizationResponseError) {
    const text = cause.error_description ?? 'the authorization server rejected the request'
    return new OpenIdError(printable(cause.error), printable(text), TEMPORARY.includes(cause.error), { cause })
  }
  if (cause instanceof ResponseBodyError) {
    const text = cause.error_description ?? `the authorization server answered ${cause.status}`
    if (cause.error !== 'invalid_client')
      return new OpenIdError(printable(cause.error), printable(text), TEMPORARY.includes(cause.error), { cause })
    const fault = `the authorization server refuses the credentials of the gateway: ${printable(text)}; ${CREDENTIALS_ADVICE}`
    return new OpenIdError('invalid_client', fault, true, { cause })
  }
  // Messages of the library name the field and the rule, not the content of the response.
  return new OpenIdError('server_error', (cause as Error).message, false, { cause: cause as Error })
}
