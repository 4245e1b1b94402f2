import { AuthorizationResponseError, type AuthorizationServer, type Client, validateAuthResponse } from 'oauth4webapi'
import { InvalidResponseError } from './open-id-error.ts'

/**
 * The parameters of an authorization response with a code for the login of `state`. Throws AuthorizationResponseError for an error of
 * the server, and InvalidResponseError for a response of another server (RFC 9207), to another login, or without a code.
 */
export function validatedResponse(
  server: AuthorizationServer,
  client: Client,
  response: URLSearchParams,
  state: string,
): URLSearchParams {
  try {
    const validated = validateAuthResponse(server, client, response, state)
    const codes = validated.getAll('code')
    if (codes.length === 1 && codes[0] !== '') return validated
  } catch (cause) {
    if (cause instanceof AuthorizationResponseError) throw cause
    // Messages of the library name the parameter and the rule, not the value.
    throw new InvalidResponseError((cause as Error).message, { cause })
  }
  throw new InvalidResponseError('expected the parameter "code" once')
}
