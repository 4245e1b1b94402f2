import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  type ClientAuth,
  calculatePKCECodeChallenge,
  customFetch,
  nopkce,
  processAuthorizationCodeResponse,
  processPushedAuthorizationResponse,
  processRefreshTokenResponse,
  processRevocationResponse,
  pushedAuthorizationRequest,
  refreshTokenGrantRequest,
  revocationRequest,
  userInfoRequest,
} from 'oauth4webapi'
import type { ClientIdField } from '#contracts'
import type { Exchange, Handler } from '#http'
import type { TokenRules } from '#jose'
import type { JsonObject } from '#json'
import type { Clock } from '#schema'
import { validatedResponse } from './authorization-response.ts'
import { fetchBy } from './fetch-by-handler.ts'
import { judgedIdToken } from './id-token.ts'
import { type IssuedTokens, issuedTokens, separateIdToken } from './issued-tokens.ts'
import { openJwtResponse } from './jwt-response.ts'
import type { LoginSecrets } from './login-secrets.ts'
import { OpenIdError, protocolErrors } from './open-id-error.ts'
import type { ResponseForm } from './protocol-response.ts'
import { readUserInfo } from './user-info-response.ts'

/** One client at one authorization server. */
interface OpenIdClientSettings {
  /** Metadata of the server (RFC 8414). */
  readonly metadata: JsonObject & { readonly issuer: string }
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly pkce: 'S256' | 'plain' | 'none'
  /** `response_mode`; null for the default of the server, `query`. */
  readonly responseMode: string | null
  /** Sends requests to the token endpoint and other endpoints with client authentication. */
  readonly tokenHandler: Handler
  /** Sends requests for user info. */
  readonly userInfoHandler: Handler
  /** Accepted clock skew in milliseconds. */
  readonly skew: number
  readonly clock: Clock
  /** The content of a JWE for this client. Throws OpenIdError where it can not be decrypted. */
  decrypt(jwe: string): Promise<string>
  /** Why the signature of a JWT is invalid; null for a valid one. */
  signatureProblem(jwt: string): Promise<string | null>
}

/** Values that the response to a login must match. */
interface LoginAttempt {
  readonly secrets: LoginSecrets
  readonly redirectUri: string
  /** `max_age` of the request in seconds; null without. */
  readonly maxAge: number | null
}

/** A client of OAuth 2.0 and OpenID Connect. Failures of the protocol are OpenIdErrors. */
export class OpenIdClient {
  readonly #server: AuthorizationServer
  readonly #client: Client
  readonly #settings: OpenIdClientSettings

  constructor(settings: OpenIdClientSettings) {
    this.#settings = settings
    this.#server = settings.metadata as unknown as AuthorizationServer
    this.#client = { client_id: settings.clientId }
  }

  /** Whether the scope has `openid`. */
  get isOpenId(): boolean {
    return this.#settings.scopes.includes('openid')
  }

  /** The URL of the authorization request, for a redirect. */
  async authorizeUrl(
    secrets: LoginSecrets,
    redirectUri: string,
    extra: Readonly<Record<string, string>>,
    onBehalfOf: Exchange,
  ): Promise<string> {
    const { clientId, scopes, pkce, responseMode } = this.#settings
    const request = new URLSearchParams(extra)
    request.set('response_type', 'code')
    request.set('client_id', clientId)
    request.set('redirect_uri', redirectUri)
    request.set('state', secrets.state)
    if (responseMode !== null) request.set('response_mode', responseMode)
    if (scopes.length > 0) request.set('scope', scopes.join(' '))
    if (this.isOpenId) request.set('nonce', secrets.nonce)
    if (pkce !== 'none') {
      const { verifier } = secrets
      request.set('code_challenge', pkce === 'plain' ? verifier : await calculatePKCECodeChallenge(verifier))
      request.set('code_challenge_method', pkce)
    }
    return this.#push(request, onBehalfOf)
  }

  /** Exchanges the code of a callback for tokens; `parameters` are those of the callback. */
  complete(parameters: URLSearchParams, attempt: LoginAttempt, onBehalfOf: Exchange): Promise<IssuedTokens> {
    const { secrets, redirectUri, maxAge } = attempt
    return protocolErrors(async () => {
      const response = await this.#opened(parameters)
      const checked = validatedResponse(this.#server, this.#client, response, secrets.state)
      const answer = await authorizationCodeGrantRequest(
        this.#server,
        this.#client,
        namesClient,
        checked,
        redirectUri,
        this.#settings.pkce === 'none' ? nopkce : secrets.verifier,
        this.#asClient('json', onBehalfOf),
      )
      const { answer: rest, idToken } = await separateIdToken(answer, this.#settings.decrypt)
      const tokens = await processAuthorizationCodeResponse(this.#server, this.#client, rest)
      if (idToken === null) {
        if (!this.isOpenId && maxAge === null) return issuedTokens(tokens, null, null)
        throw new OpenIdError('server_error', 'the token response has no id_token', false)
      }
      const maxLoginAge = maxAge === null ? null : maxAge * 1_000
      return issuedTokens(tokens, idToken, this.#judged(idToken, { maxLoginAge }, this.isOpenId ? secrets.nonce : null))
    })
  }

  /** The parameters of an authorization response. If a JWT was requested, other responses are rejected. */
  async #opened(parameters: URLSearchParams): Promise<URLSearchParams> {
    const { responseMode, metadata, clientId, skew, clock, decrypt, signatureProblem } = this.#settings
    if (!responseMode?.endsWith('jwt')) return parameters
    const rules = { issuer: metadata.issuer, clientId, skew, now: clock.now(), decrypt, signatureProblem }
    return openJwtResponse(parameters.get('response') ?? '', rules)
  }

  refresh(refreshToken: string, onBehalfOf: Exchange): Promise<IssuedTokens> {
    return protocolErrors(async () => {
      const through = this.#asClient('json', onBehalfOf)
      const answer = await refreshTokenGrantRequest(this.#server, this.#client, namesClient, refreshToken, through)
      const { answer: rest, idToken } = await separateIdToken(answer, this.#settings.decrypt)
      const tokens = await processRefreshTokenResponse(this.#server, this.#client, rest)
      return issuedTokens(tokens, idToken, idToken === null ? null : this.#judged(idToken))
    })
  }

  /** User info; its `sub` must be that of the ID token. */
  userInfo(accessToken: string, subject: string, onBehalfOf: Exchange): Promise<JsonObject> {
    return protocolErrors(async () => {
      const { userInfoHandler, metadata, clientId, skew, clock, decrypt, signatureProblem } = this.#settings
      const through = this.#through(userInfoHandler, 'user info', onBehalfOf)
      const answer = await userInfoRequest(this.#server, this.#client, accessToken, through)
      const rules = { subject, issuer: metadata.issuer, clientId, skew, now: clock.now(), decrypt, signatureProblem }
      return readUserInfo(answer, rules)
    })
  }

  /** Revokes a token and the tokens issued with it (RFC 7009). */
  revoke(token: string, onBehalfOf: Exchange): Promise<void> {
    return protocolErrors(async () => {
      const through = this.#asClient('empty', onBehalfOf)
      await processRevocationResponse(await revocationRequest(this.#server, this.#client, namesClient, token, through))
    })
  }

  #judged(idToken: string, times: Pick<TokenRules['times'], 'maxLoginAge'> = {}, nonce?: string | null): JsonObject {
    const { metadata, clientId, skew, clock } = this.#settings
    const signed = metadata['id_token_signing_alg_values_supported']
    return judgedIdToken(idToken, {
      issuer: metadata.issuer,
      clientId,
      algorithms: Array.isArray(signed) ? (signed as string[]) : DEFAULT_ALGORITHMS,
      times: { now: clock.now(), skew, ...times },
      ...(nonce !== undefined && { nonce }),
    })
  }

  /** The authorization endpoint with its parameters, or with the `request_uri` of a pushed authorization request (RFC 9126). */
  async #push(request: URLSearchParams, onBehalfOf: Exchange): Promise<string> {
    const url = new URL(this.#settings.metadata['authorization_endpoint'] as string)
    if (typeof this.#settings.metadata['pushed_authorization_request_endpoint'] !== 'string') {
      for (const [name, value] of request) url.searchParams.set(name, value)
      return url.href
    }
    const pushed = await protocolErrors(async () => {
      const through = this.#through(this.#settings.tokenHandler, 'json', onBehalfOf)
      const answer = await pushedAuthorizationRequest(this.#server, this.#client, namesClient, request, through)
      return processPushedAuthorizationResponse(this.#server, this.#client, answer)
    })
    url.searchParams.set('client_id', this.#settings.clientId)
    url.searchParams.set('request_uri', pushed.request_uri)
    return url.href
  }

  /** For token and revocation requests: their `client_id` is removed where the handler adds credentials. */
  #asClient(form: ResponseForm, onBehalfOf: Exchange) {
    const { tokenHandler, clientId } = this.#settings
    return this.#through(tokenHandler, form, onBehalfOf, { clientId })
  }

  /** Whether an endpoint may be reached without TLS is decided by its configured URL. */
  #through(handler: Handler, form: ResponseForm, onBehalfOf: Exchange, clientIdField: ClientIdField | null = null) {
    const fetch = fetchBy(handler, onBehalfOf, { form, clientIdField })
    return { [customFetch]: fetch as never, [allowInsecureRequests]: true }
  }
}

/** OpenID Connect Core section 3.1.3.7: where the server names none. */
const DEFAULT_ALGORITHMS = ['RS256']

/** Credentials are added by the handler of the registration. */
const namesClient: ClientAuth = (_server, { client_id }, form) => form.set('client_id', client_id)
