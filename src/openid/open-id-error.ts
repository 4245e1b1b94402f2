import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from 'oauth4webapi'
import { ServerUnreachableError } from './fetch-by-handler.ts'

/** Why a step of the protocol failed. */
export class OpenIdError extends Error {
  /** The `error` of the protocol, such as `access_denied`; `server_error` where the server could not be understood. */
  readonly error: string
  /** What the server or the check says of it; names no secret. */
  readonly description: string
  /** Whether nobody could be asked, so that it may go well another time. */
  readonly unavailable: boolean

  constructor(error: string, description: string, unavailable: boolean, options?: ErrorOptions) {
    super(`${error}: ${description}`, options)
    this.name = 'OpenIdError'
    this.error = error
    this.description = description
    this.unavailable = unavailable
  }
}

/** Runs a step of the protocol; whatever goes wrong in it comes out as an OpenIdError. */
export async function protocolErrors<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    throw asOpenIdError(cause)
  }
}

function asOpenIdError(cause: unknown): OpenIdError {
  if (cause instanceof OpenIdError) return cause
  if (cause instanceof ServerUnreachableError)
    return new OpenIdError('temporarily_unavailable', cause.message, true, { cause })
  if (cause instanceof AuthorizationResponseError)
    return new OpenIdError(cause.error, cause.error_description ?? 'the authorization server refused', false, { cause })
  if (cause instanceof ResponseBodyError) {
    const text = cause.error_description ?? `the authorization server answered ${cause.status}`
    return new OpenIdError(cause.error, text, cause.status >= 500, { cause })
  }
  if (cause instanceof WWWAuthenticateChallengeError) {
    const [challenge] = cause.cause
    const error = challenge?.parameters['error'] ?? 'invalid_token'
    return new OpenIdError(error, `the authorization server answered ${cause.status}`, cause.status >= 500, { cause })
  }
  // What the library says of an answer names the field and the rule, not its content.
  return new OpenIdError('server_error', (cause as Error).message, false, { cause: cause as Error })
}
