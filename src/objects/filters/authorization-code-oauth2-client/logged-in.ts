import { type ClientRegistration, type OAuth2Info, OAuth2InfoContext } from '#contracts'
import { LazyValue } from '#expression'
import { lazyMembers, type Response, type WithLazyMembers } from '#http'
import type { JsonObject } from '#json'
import { OpenIdError } from '#openid'
import { isNavigation } from '../../lib/login/login-required.ts'
import { loginHere } from './begin-login.ts'
import { endWithLogin } from './login-identity.ts'
import type { LoginRequest } from './login-request.ts'
import { claimsOf, type SessionTokens } from './login-session.ts'
import { pendingLogins } from './pending-logins.ts'
import { clientOf, verifySignature } from './registered-client.ts'
import { demandOf, type LoginDemand } from './step-up.ts'

/** An application that rejects every token must not make the gateway refresh tokens without end. */
const REJECTION_PAUSE = 10_000

/** The grant has ended at the authorization server: the user has to log in again. */
export class TokensEndedError extends Error {
  override readonly name = 'TokensEndedError'
}

export function isExpired({ tokens, settings }: LoginRequest): boolean {
  const { expiresAt } = tokens as SessionTokens
  return expiresAt !== null && expiresAt <= settings.clock.now()
}

/** Replaces the tokens of the session by those of a refresh; throws TokensEndedError without one. */
export async function refreshTokens(state: LoginRequest): Promise<void> {
  const begun = state.settings.clock.now()
  for (;;) {
    const before = state.tokens?.accessToken
    const askedAt = await refreshOnce(state)
    // Tokens that another request got earlier may have expired since: then they are the ones to refresh.
    if (askedAt >= begun || !isExpired(state) || state.tokens?.accessToken === before) return
  }
}

/** Returns the time of the token request, in milliseconds since the epoch. */
async function refreshOnce(state: LoginRequest): Promise<number> {
  const { exchange, settings, loginSession } = state
  const old = state.tokens as SessionTokens
  const registration = state.registration as ClientRegistration
  const { refreshToken } = old
  if (refreshToken === null) throw new TokensEndedError('the access token has expired, and there is no refresh token')
  const { tokens: issued, askedAt } = await settings.refreshes
    .refresh({ ...old, refreshToken }, async () =>
      (await clientOf(registration, settings.clock)).refresh(refreshToken, exchange),
    )
    .catch(throwEnded)
  if (issued.idToken !== null) await verifySignature(registration, issued.idToken)
  // OpenID Connect Core 1.0 section 12.2: a refreshed ID token is about the same user.
  const before = issued.claims === null ? null : claimsOf(old)
  if (before !== null && issued.claims?.['sub'] !== before['sub'])
    throw new TokensEndedError('the refreshed ID token is about another user')
  state.tokens = loginSession.keep(registration, issued, askedAt, old)
  return askedAt
}

/** Tokens end for `invalid_grant` alone: other failures do not mean that the grant has ended (RFC 6749 section 5.2). */
function throwEnded(error: unknown): never {
  if (error instanceof OpenIdError && error.error === 'invalid_grant' && !error.unavailable)
    throw new TokensEndedError(error.message, { cause: error })
  throw error
}

export async function passWithTokens(state: LoginRequest): Promise<void> {
  const { exchange, next, settings, identity } = state
  const tokens = state.tokens as SessionTokens
  const registration = state.registration as ClientRegistration
  const userInfo = new LazyValue(() => userInfoOf(state, tokens, registration))
  if (registration.userInfo === 'always') await userInfo.load()
  const info = infoOf(state, tokens, registration, userInfo)
  await settings.assign(exchange, info as unknown as JsonObject)
  // Later filters change the request; a retry starts with the original.
  const onward = exchange.withRequest(exchange.request.clone())
  pendingLogins.strip(onward)
  state.response = await next(onward.with(OAuth2InfoContext, info))
  endWithLogin(state.response, exchange, identity)
}

export function isStepUpDemanded({ exchange: { request }, response }: LoginRequest): boolean {
  if (demandOf(response as Response) === null) return false
  return isNavigation(request) && (request.method === 'GET' || request.method === 'HEAD')
}

export function stepUp(state: LoginRequest): Promise<Response> {
  const response = state.response as Response
  response.body.cancel()
  return loginHere(state, state.registration as ClientRegistration, demandOf(response) as LoginDemand)
}

/** Whether the application rejected the access token itself (RFC 6750 section 3.1), and the request can be repeated. */
export function isTokenRejected({ exchange, settings, tokens, response, loginSession }: LoginRequest): boolean {
  const { status, headers } = response as Response
  if (status !== 401 || tokens?.refreshToken === null || !exchange.request.body.isEmpty) return false
  const { retriedAt } = loginSession
  if (retriedAt !== null && Math.abs(settings.clock.now() - retriedAt) < REJECTION_PAUSE) return false
  return headers.all('www-authenticate').some((field) => /\berror\s*=\s*"?invalid_token"?/i.test(field))
}

/** Repeats the request with new tokens; null, for the first response, where the refresh fails. */
export async function retryRefreshed(state: LoginRequest): Promise<Response | null> {
  const rejection = state.response as Response
  try {
    await refreshTokens(state)
  } catch (error) {
    if (error instanceof TokensEndedError) throw error
    return null
  }
  state.loginSession.setRetriedAt(state.settings.clock.now())
  rejection.body.cancel()
  await passWithTokens(state)
  return state.response
}

async function userInfoOf(
  { exchange, settings }: LoginRequest,
  tokens: SessionTokens,
  registration: ClientRegistration,
): Promise<JsonObject | null> {
  const { accessToken } = tokens
  const subject = claimsOf(tokens)?.['sub']
  if (registration.userInfo === 'never' || accessToken === null || typeof subject !== 'string') return null
  if (typeof (await registration.issuer.metadata())['userinfo_endpoint'] !== 'string') return null
  return settings.userInfo.of(accessToken, async () =>
    (await clientOf(registration, settings.clock)).userInfo(accessToken, subject, exchange),
  )
}

function infoOf(
  { settings, endpoint }: LoginRequest,
  tokens: SessionTokens,
  { clientId }: ClientRegistration,
  userInfo: LazyValue<JsonObject | null>,
): OAuth2Info & WithLazyMembers {
  const { accessToken, scopes, idToken, expiresAt } = tokens
  let claims: JsonObject | null | undefined
  return {
    access_token: accessToken,
    scopes,
    id_token: idToken,
    get id_token_claims() {
      claims ??= claimsOf(tokens)
      return claims
    },
    expires_in: expiresAt === null ? null : Math.max(0, Math.floor((expiresAt - settings.clock.now()) / 1_000)),
    get user_info() {
      return userInfo.value
    },
    client_registration: clientId,
    client_endpoint: endpoint,
    [lazyMembers]: { user_info: () => userInfo.load() },
  }
}
