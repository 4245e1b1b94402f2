import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  type ClientAuth,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  expectNoNonce,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  getValidatedIdTokenClaims,
  nopkce,
  processAuthorizationCodeResponse,
  processPushedAuthorizationResponse,
  processRefreshTokenResponse,
  processRevocationResponse,
  processUserInfoResponse,
  pushedAuthorizationRequest,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
  userInfoRequest,
  validateAuthResponse,
} from 'oauth4webapi'
import type { ClientIdField } from '#contracts'
import type { Exchange, Handler } from '#http'
import { isPlainObject, type JsonObject, parseJson } from '#json'
import { fetchBy } from './fetch-by-handler.ts'
import { protocolErrors } from './open-id-error.ts'

/** One client at one authorization server. */
export interface OpenIdClientSettings {
  /** What the server says of itself (RFC 8414). */
  readonly metadata: JsonObject & { readonly issuer: string }
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly pkce: 'S256' | 'plain' | 'none'
  /** Sends requests to the token endpoint and the like, and authenticates the client where it has to. */
  readonly tokenHandler: Handler
  /** Sends requests for user info. */
  readonly userInfoHandler: Handler
  /** Milliseconds by which the clocks may differ. */
  readonly skew: number
}

/** What has to be remembered between the two halves of a login. */
export interface LoginAttempt {
  readonly state: string
  readonly nonce: string | null
  readonly verifier: string | null
  readonly redirectUri: string
}

/** What a token endpoint gave. */
export interface IssuedTokens {
  /** The answer, field by field. */
  readonly answer: JsonObject
  readonly accessToken: string
  readonly refreshToken: string | null
  readonly idToken: string | null
  /** Claims of the ID token, checked but for its signature. */
  readonly claims: JsonObject | null
  /** Seconds the access token lives; null where the server did not say. */
  readonly expiresIn: number | null
}

/** Speaks OAuth 2.0 and OpenID Connect as a client. Failures of the protocol are OpenIdErrors. */
export class OpenIdClient {
  readonly #server: AuthorizationServer
  readonly #client: Client
  readonly #settings: OpenIdClientSettings

  constructor(settings: OpenIdClientSettings) {
    this.#settings = settings
    this.#server = settings.metadata as unknown as AuthorizationServer
    this.#client = { client_id: settings.clientId, [clockTolerance]: Math.ceil(settings.skew / 1_000) }
  }

  /** Whether it asks who the user is, and not for access alone. */
  get isOpenId(): boolean {
    return this.#settings.scopes.includes('openid')
  }

  /** Where the browser is sent to log in, and what to remember of it. */
  async begin(
    redirectUri: string,
    extra: Readonly<Record<string, string>>,
    onBehalfOf: Exchange,
  ): Promise<{ readonly location: string; readonly attempt: LoginAttempt }> {
    const { clientId, scopes, pkce } = this.#settings
    const verifier = pkce === 'none' ? null : generateRandomCodeVerifier()
    const nonce = this.isOpenId ? generateRandomNonce() : null
    const attempt = { state: generateRandomState(), nonce, verifier, redirectUri }
    const asked = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      state: attempt.state,
    })
    if (scopes.length > 0) asked.set('scope', scopes.join(' '))
    if (nonce !== null) asked.set('nonce', nonce)
    if (verifier !== null) {
      asked.set('code_challenge', pkce === 'plain' ? verifier : await calculatePKCECodeChallenge(verifier))
      asked.set('code_challenge_method', pkce === 'plain' ? 'plain' : 'S256')
    }
    for (const [name, value] of Object.entries(extra)) asked.set(name, value)
    return { location: await this.#authorizeUrl(asked, onBehalfOf), attempt }
  }

  /** Trades the code of a callback for tokens; `parameters` is the query of the callback. */
  complete(parameters: URLSearchParams, attempt: LoginAttempt, onBehalfOf: Exchange): Promise<IssuedTokens> {
    return protocolErrors(async () => {
      const checked = validateAuthResponse(this.#server, this.#client, parameters, attempt.state)
      const answer = await authorizationCodeGrantRequest(
        this.#server,
        this.#client,
        namesClient,
        checked,
        attempt.redirectUri,
        attempt.verifier ?? nopkce,
        this.#asClient(onBehalfOf),
      )
      const tokens = await processAuthorizationCodeResponse(this.#server, this.#client, answer, {
        expectedNonce: attempt.nonce ?? expectNoNonce,
        requireIdToken: this.isOpenId,
      })
      return issued(tokens)
    })
  }

  /** Asks for new tokens. */
  refresh(refreshToken: string, onBehalfOf: Exchange): Promise<IssuedTokens> {
    return protocolErrors(async () => {
      const through = this.#asClient(onBehalfOf)
      const answer = await refreshTokenGrantRequest(this.#server, this.#client, namesClient, refreshToken, through)
      return issued(await processRefreshTokenResponse(this.#server, this.#client, answer))
    })
  }

  /** What the server knows of the user; only of the one that the ID token was about. */
  userInfo(accessToken: string, subject: string, onBehalfOf: Exchange): Promise<JsonObject> {
    return protocolErrors(async () => {
      const through = this.#through(this.#settings.userInfoHandler, onBehalfOf)
      const answer = await userInfoRequest(this.#server, this.#client, accessToken, through)
      const text = await answer.clone().text()
      const checked = await processUserInfoResponse(this.#server, this.#client, subject, answer)
      return exact(text, checked as unknown as JsonObject)
    })
  }

  /** Makes a token worthless, with all that came of it. */
  revoke(token: string, onBehalfOf: Exchange): Promise<void> {
    return protocolErrors(async () => {
      const through = this.#asClient(onBehalfOf)
      await processRevocationResponse(await revocationRequest(this.#server, this.#client, namesClient, token, through))
    })
  }

  /** The authorization endpoint with its parameters, or with a reference to them where the server takes them beforehand (RFC 9126). */
  async #authorizeUrl(asked: URLSearchParams, onBehalfOf: Exchange): Promise<string> {
    const url = new URL(this.#settings.metadata['authorization_endpoint'] as string)
    if (typeof this.#settings.metadata['pushed_authorization_request_endpoint'] !== 'string') {
      for (const [name, value] of asked) url.searchParams.set(name, value)
      return url.href
    }
    const pushed = await protocolErrors(async () => {
      const through = this.#through(this.#settings.tokenHandler, onBehalfOf)
      const answer = await pushedAuthorizationRequest(this.#server, this.#client, namesClient, asked, through)
      return processPushedAuthorizationResponse(this.#server, this.#client, answer)
    })
    url.searchParams.set('client_id', this.#settings.clientId)
    url.searchParams.set('request_uri', pushed.request_uri)
    return url.href
  }

  /** Token and revocation requests: their `client_id` gives way to credentials that the handler adds. */
  #asClient(onBehalfOf: Exchange) {
    const { tokenHandler, clientId } = this.#settings
    return this.#through(tokenHandler, onBehalfOf, { clientId })
  }

  /** Whether an endpoint may be reached without TLS is the business of whoever configured its URL. */
  #through(handler: Handler, onBehalfOf: Exchange, clientIdField: ClientIdField | null = null) {
    return { [customFetch]: fetchBy(handler, onBehalfOf, { clientIdField }) as never, [allowInsecureRequests]: true }
  }
}

/** Credentials are added by the handler of the registration. */
const namesClient: ClientAuth = (_server, { client_id }, form) => form.set('client_id', client_id)

function idTokenClaims(tokens: TokenEndpointResponse): JsonObject | null {
  const checked = getValidatedIdTokenClaims(tokens) as unknown as JsonObject | undefined
  if (checked === undefined) return null
  const payload = tokens.id_token?.split('.')[1] ?? ''
  return exact(Buffer.from(payload, 'base64url').toString('utf8'), checked)
}

/** The library reads numbers as doubles: once it has checked a JSON object, its text is read again to keep them all. */
function exact(text: string, checked: JsonObject): JsonObject {
  try {
    const value = parseJson(text)
    return isPlainObject(value) ? (value as JsonObject) : checked
  } catch {
    // A signed or encrypted answer, whose content the library alone knows.
    return checked
  }
}

function issued(tokens: TokenEndpointResponse): IssuedTokens {
  return {
    answer: tokens as unknown as JsonObject,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? null,
    idToken: tokens.id_token ?? null,
    claims: idTokenClaims(tokens),
    expiresIn: tokens.expires_in ?? null,
  }
}
