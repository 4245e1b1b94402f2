import { type AmService, CdssoContext, SsoTokenContext } from '#contracts'
import type { Exchange } from '#http'
import { claim, parseSignedToken, readClaims } from '#jose'

/**
 * Whether a session token is of an admitted realm. The filter that demanded the login knows the
 * session; otherwise it is looked up, since the server decides about sessions of any realm.
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

/** PingAM takes JWTs of its own in the place of session tokens, and verifies them; a lookup knows nothing of those. */
function claimedRealm(ssoToken: string): string | null {
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(ssoToken)) return null
  try {
    const realm = claim(readClaims(parseSignedToken(ssoToken).payload), 'realm')
    return typeof realm === 'string' ? realm : null
  } catch {
    return null
  }
}
