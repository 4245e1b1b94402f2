import { isPlainObject, type JsonObject } from '#json'
import { claim } from './claims.ts'

/** What a token is for, as it declares itself: issuers sign tokens of all uses with the same keys. */
export type TokenUse = 'access' | 'id' | 'refresh' | 'logout' | 'event' | 'proof' | 'response' | 'client' | 'other'

/** The event of a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4). */
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** Types of a header, in the form of `normalType`. */
const USE_OF_TYPE: ReadonlyMap<string, TokenUse> = new Map([
  ['at+jwt', 'access'],
  ['logout+jwt', 'logout'],
  ['secevent+jwt', 'event'],
  ['dpop+jwt', 'proof'],
  ['token-introspection+jwt', 'response'],
  ['oauth-authz-req+jwt', 'client'],
  ['client-authentication+jwt', 'client'],
])

/** Values of the claim `typ` of Keycloak, also in introspection responses. It has others, of unrelated meanings. */
const USE_OF_KIND: ReadonlyMap<string, TokenUse> = new Map([
  ['bearer', 'access'],
  ['dpop', 'access'],
  ['id', 'id'],
  ['refresh', 'refresh'],
  ['offline', 'refresh'],
  ['logout', 'logout'],
])

/**
 * Values of `tokenName` of access managers, of `token_use` of Cognito and of introspection responses of Hydra, and of `token_type` in
 * introspection responses of OpenAM and in tokens of Django.
 */
const USE_OF_NAME: ReadonlyMap<string, TokenUse> = new Map([
  ['access', 'access'],
  ['access_token', 'access'],
  ['id', 'id'],
  ['id_token', 'id'],
  ['refresh', 'refresh'],
  ['refresh_token', 'refresh'],
])

/** A media type of RFC 7515 section 4.1.9: case-insensitive, and `application/` is optional. */
export function normalType(typ: string): string {
  const text = typ.toLowerCase()
  return text.startsWith('application/') ? text.slice('application/'.length) : text
}

/** The use that a type of a header declares; null for a general type such as `JWT`. */
export function useOfType(typ: string): TokenUse | null {
  return USE_OF_TYPE.get(normalType(typ)) ?? null
}

/** The uses that claims declare; more than one where they contradict each other. */
export function declaredUses(claims: JsonObject): readonly TokenUse[] {
  const uses: TokenUse[] = []
  for (const name of ['tokenName', 'token_use']) {
    const value = claim(claims, name)
    if (value !== undefined) uses.push(USE_OF_NAME.get(value as string) ?? 'other')
  }
  const typ = claim(claims, 'typ')
  const kind = typeof typ === 'string' ? (USE_OF_KIND.get(typ.toLowerCase()) ?? useOfType(typ)) : null
  if (kind !== null) uses.push(kind)
  const tokenType = claim(claims, 'token_type')
  // `Bearer` and `DPoP` say how a token is sent: refresh tokens have it too.
  const named = typeof tokenType === 'string' ? (USE_OF_NAME.get(tokenType.toLowerCase()) ?? null) : null
  if (named !== null) uses.push(named)
  if (hasLogoutEvent(claims)) uses.push('logout')
  return uses
}

/** Whether the claim `events` has the event of a logout token, with an object. */
export function hasLogoutEvent(claims: JsonObject): boolean {
  const events = claim(claims, 'events')
  return isPlainObject(events) && isPlainObject(claim(events as JsonObject, LOGOUT_EVENT) ?? null)
}
