import { type AmService, CdssoContext, SsoTokenContext } from '#contracts'
import type { Exchange } from '#http'
import { claim, parseSignedToken, readClaims } from '#jose'

/**
 * Whether a session token is of an admitted realm: by the session in the context of a login filter, else by a lookup, since the server
 * decides about sessions of any realm.
 */
export async function isOfAdmittedRealm(amService: AmService, exchange: Exchange, ssoToken: string): Promise<boolean> {
  const known = knownRealm(exchange, ssoToken) ?? claimedRealm(ssoToken)
  if (known !== null) return amService.admitsRealm(known)
  return (await amService.sessions.find(ssoToken)) !== null
}

function knownRealm(exchange: Exchange, ssoToken: string): string | null {
  const sso = exchange.context(SsoTokenContext)
  const isSame = sso !== null && (sso.value === ssoToken || exchange.context(CdssoContext)?.token === ssoToken)
  const realm = isSame ? sso.info['realm'] : null
  return typeof realm === 'string' ? realm : null
}

/** PingAM accepts its own JWTs instead of session tokens, and verifies them; the session lookup does not accept them. */
function claimedRealm(ssoToken: string): string | null {
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(ssoToken)) return null
  try {
    const realm = claim(readClaims(parseSignedToken(ssoToken).payload), 'realm')
    return typeof realm === 'string' ? realm : null
  } catch {
    return null
  }
}
