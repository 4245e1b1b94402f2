import type { Response } from '#http'
import { type IssuedTokens, type OpenIdError, stateOfJwtResponse } from '#openid'
import { LoginRequest, type LoginSettings } from './login-request.ts'
import type { PendingLogin } from './login-session.ts'

/** One request to the callback. */
export class CallbackRequest extends LoginRequest {
  readonly onFailure: OnFailure
  /** Parameters of the authorization response. */
  parameters = new URLSearchParams()
  /** The parameter `state`. */
  key = ''
  login: PendingLogin | null = null
  /** Time of the token request. */
  askedAt = 0
  issued: IssuedTokens | null = null
  /** False where a reload may complete the login, after the server was unavailable. */
  isComplete = true

  constructor({ exchange, next, settings, endpoint, action }: LoginRequest, onFailure: OnFailure) {
    super(exchange, next, settings)
    this.endpoint = endpoint
    this.action = action
    this.onFailure = onFailure
  }
}

/** Response to a login that failed. */
export type OnFailure = (error: OpenIdError, request: LoginRequest) => Promise<Response>

/** The state of a response. In a JWT it is not verified yet: the login that it names has the registration with the keys. */
export async function stateIn(parameters: URLSearchParams, { registrations }: LoginSettings): Promise<string> {
  const jwt = parameters.get('response')
  if (jwt === null) return parameters.get('state') ?? ''
  for (const { responseMode, decrypt } of registrations) {
    if (!responseMode?.endsWith('jwt')) continue
    const state = await stateOfJwtResponse(jwt, decrypt)
    if (state !== null) return state
  }
  return ''
}
