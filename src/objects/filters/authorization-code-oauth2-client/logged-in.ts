import { type ClientRegistration, type OAuth2Info, OAuth2InfoContext } from '#contracts'
import type { Exchange, Handler, Response } from '#http'
import type { JsonObject } from '#json'
import { OpenIdError } from '#openid'
import { believed, clientOf } from './login-flow.ts'
import type { KeptTokens, LoginMemory } from './login-memory.ts'
import type { SharedRefresh } from './shared-refresh.ts'
import type { UserInfo } from './user-info.ts'

/** Serves requests of users who have logged in. */
export interface LoggedInSettings {
  readonly refreshes: SharedRefresh
  readonly userInfo: UserInfo
  readonly now: () => number
  /** Where expressions of older configurations look for what is known. */
  readonly assign: (exchange: Exchange, info: JsonObject) => void | Promise<void>
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
  if (tokens.refreshToken === null || !saysInvalidToken(response) || !exchange.request.body.isEmpty) return response
  const fresh = await refreshed(tokens).catch(() => null)
  if (fresh === null) return response
  response.body.cancel()
  return pass(fresh)

  async function refreshed(old: KeptTokens): Promise<KeptTokens> {
    const { refreshToken } = old
    if (refreshToken === null)
      throw new OpenIdError('invalid_grant', 'the access token is over, and none refreshes it', false)
    const { tokens: issued, askedAt } = await settings.refreshes.refresh(refreshToken, async () =>
      (await clientOf(registration)).refresh(refreshToken, exchange),
    )
    if (issued.idToken !== null) await believed(registration, issued.idToken)
    // OpenID Connect Core 1.0, 12.2: a refresh is about the same user, or it is none.
    if (issued.claims !== null && old.claims !== null && issued.claims['sub'] !== old.claims['sub'])
      throw new OpenIdError('invalid_token', 'the refreshed ID token is about another user', false)
    return memory.keep(old.registration, issued, askedAt, old, registration.scopes)
  }

  async function pass(using: KeptTokens): Promise<Response> {
    const info = await known(using)
    await settings.assign(exchange, info as unknown as JsonObject)
    // Filters behind this one change the request they get; a second try begins with the one that came.
    return next(exchange.withRequest(exchange.request.clone()).with(OAuth2InfoContext, info))
  }

  async function known(using: KeptTokens): Promise<OAuth2Info> {
    const subject = using.claims?.['sub']
    const asksUser =
      typeof subject === 'string' && typeof (await registration.issuer.metadata())['userinfo_endpoint'] === 'string'
    const user = asksUser
      ? await settings.userInfo.of(using.accessToken, async () =>
          (await clientOf(registration)).userInfo(using.accessToken, subject, exchange),
        )
      : null
    return {
      access_token: using.accessToken,
      scopes: using.scopes,
      id_token: using.idToken,
      id_token_claims: using.claims,
      expires_in: using.expiresAt === null ? null : Math.max(0, Math.floor((using.expiresAt - settings.now()) / 1_000)),
      user_info: user,
      client_registration: registration.clientId,
      client_endpoint: endpoint,
    }
  }
}

/** Whether an application refused the access token itself (RFC 6750 section 3.1). */
function saysInvalidToken(response: Response): boolean {
  if (response.status !== 401) return false
  return response.headers.all('www-authenticate').some((field) => /\berror\s*=\s*"?invalid_token"?/i.test(field))
}
