import { type ClientRegistration, type OAuth2Info, OAuth2InfoContext } from '#contracts'
import { LazyValue } from '#expression'
import { type Exchange, type Handler, lazyMembers, type Response, type WithLazyMembers } from '#http'
import type { JsonObject } from '#json'
import { OpenIdError } from '#openid'
import { begunLogins } from './begun-logins.ts'
import { believed, clientOf } from './login-flow.ts'
import { claimsOf, type KeptTokens, type LoginMemory } from './login-memory.ts'
import type { SharedRefresh } from './shared-refresh.ts'
import { demandOf, StepUpRequiredError } from './step-up.ts'
import type { UserInfo } from './user-info.ts'

/** Serves requests of users who have logged in. */
export interface LoggedInSettings {
  readonly refreshes: SharedRefresh
  readonly userInfo: UserInfo
  readonly now: () => number
  /** Whether a login page can be shown in place of the response. */
  readonly canStepUp: (exchange: Exchange) => boolean
  /** Where expressions of older configurations look for what is known. */
  readonly assign: (exchange: Exchange, info: JsonObject) => void | Promise<void>
}

/** The session of the user is over at the authorization server. */
export class TokensEndedError extends Error {
  override readonly name = 'TokensEndedError'
}

/** Passes a request on with what is known of its user, with a fresh access token where the old one is over or refused. */
export async function passLoggedIn(
  exchange: Exchange,
  next: Handler,
  memory: LoginMemory,
  registration: ClientRegistration,
  endpoint: string,
  settings: LoggedInSettings,
): Promise<Response> {
  let tokens = memory.tokens as KeptTokens
  if (tokens.expiresAt !== null && tokens.expiresAt <= settings.now()) tokens = await refreshed(tokens)
  const response = await pass(tokens)
  const demand = demandOf(response)
  if (demand !== null && settings.canStepUp(exchange)) {
    response.body.cancel()
    throw new StepUpRequiredError(demand)
  }
  if (tokens.refreshToken === null || !saysInvalidToken(response) || !exchange.request.body.isEmpty) return response
  const fresh = await refreshed(tokens).catch((error: unknown) => {
    if (error instanceof TokensEndedError) throw error
    return null
  })
  if (fresh === null) return response
  response.body.cancel()
  return pass(fresh)

  async function refreshed(old: KeptTokens): Promise<KeptTokens> {
    const { refreshToken } = old
    if (refreshToken === null) throw new TokensEndedError('the access token has expired, and there is no refresh token')
    const { tokens: issued, askedAt } = await settings.refreshes
      .refresh(refreshToken, async () => (await clientOf(registration)).refresh(refreshToken, exchange))
      .catch(endedByServer)
    if (issued.idToken !== null) await believed(registration, issued.idToken)
    // OpenID Connect Core 1.0 section 12.2: a refreshed ID token is about the same user.
    const before = issued.claims === null ? null : claimsOf(old)
    if (before !== null && issued.claims?.['sub'] !== before['sub'])
      throw new TokensEndedError('the refreshed ID token is about another user')
    return memory.keep(registration, issued, askedAt, old)
  }

  async function pass(using: KeptTokens): Promise<Response> {
    const userInfo = new LazyValue(() => userInfoFor(using))
    if (registration.userInfo === 'always') await userInfo.load()
    const info = infoOf(using, userInfo)
    await settings.assign(exchange, info as unknown as JsonObject)
    // Filters behind this one change the request they get; a second try begins with the one that came.
    const onward = exchange.withRequest(exchange.request.clone())
    begunLogins.strip(onward)
    return next(onward.with(OAuth2InfoContext, info))
  }

  async function userInfoFor(using: KeptTokens): Promise<JsonObject | null> {
    const { accessToken } = using
    const subject = claimsOf(using)?.['sub']
    if (registration.userInfo === 'never' || accessToken === null || typeof subject !== 'string') return null
    if (typeof (await registration.issuer.metadata())['userinfo_endpoint'] !== 'string') return null
    return settings.userInfo.of(accessToken, async () =>
      (await clientOf(registration)).userInfo(accessToken, subject, exchange),
    )
  }

  function infoOf(using: KeptTokens, userInfo: LazyValue<JsonObject | null>): OAuth2Info & WithLazyMembers {
    let claims: JsonObject | null | undefined
    return {
      access_token: using.accessToken,
      scopes: using.scopes,
      id_token: using.idToken,
      get id_token_claims() {
        claims ??= claimsOf(using)
        return claims
      },
      expires_in: using.expiresAt === null ? null : Math.max(0, Math.floor((using.expiresAt - settings.now()) / 1_000)),
      get user_info() {
        return userInfo.value
      },
      client_registration: registration.clientId,
      client_endpoint: endpoint,
      [lazyMembers]: { user_info: () => userInfo.load() },
    }
  }
}

/** Tokens end for `invalid_grant` alone: every other failure says nothing about them (RFC 6749 section 5.2). */
function endedByServer(error: unknown): never {
  if (error instanceof OpenIdError && error.error === 'invalid_grant' && !error.unavailable)
    throw new TokensEndedError(error.message, { cause: error })
  throw error
}

/** Whether an application refused the access token itself (RFC 6750 section 3.1). */
function saysInvalidToken(response: Response): boolean {
  if (response.status !== 401) return false
  return response.headers.all('www-authenticate').some((field) => /\berror\s*=\s*"?invalid_token"?/i.test(field))
}
