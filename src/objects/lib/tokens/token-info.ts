import type { TokenRejection, TokenResolution } from '#contracts'
import { responseDate, scopesOf, TokenError, violations } from '#jose'
import type { JsonObject } from '#json'

export const EXPIRED: TokenRejection = refusal('the access token has expired')

/** A malformed response rejects the token (threats B62). */
const INCOMPREHENSIBLE: TokenRejection = {
  outcome: 'unavailable',
  description: 'The response of the authorization server is malformed.',
}

/** Requirements on a response about a token. */
export interface InfoRules {
  readonly kind: 'introspection' | 'tokenInfo'
  /** Null where it is not checked. */
  readonly issuer?: string | null
  /** Of which the token has one; null where it is not checked. */
  readonly audience?: readonly string[] | null
}

/** Resolves a token by an introspection response (RFC 7662 section 2.2). `report` gets the reason why it is malformed. */
export function resolutionOf(
  token: string,
  info: JsonObject,
  now: number,
  rules: InfoRules,
  report: (reason: string) => void = () => {},
): TokenResolution {
  const found = violations(null, info, { ...rules, times: { now } })
  try {
    const malformed = found.find(({ code }) => code === 'malformed')
    if (malformed !== undefined) throw new TokenError(malformed.message)
    const scopes = scopesOf(info, ['scope'])
    const expiresAt = expiryOf(info, now)
    const [violation] = found
    if (violation !== undefined) return refusal(violation.message)
    if (expiresAt !== null && expiresAt <= now) return EXPIRED
    return { outcome: 'valid', accessToken: { token, info, scopes, expiresAt } }
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    report(error.message)
    return INCOMPREHENSIBLE
  }
}

/** The refusal of a token. The reason becomes a sentence for the client. */
export function refusal(reason: string): TokenRejection {
  return { outcome: 'invalid', description: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.` }
}

/** Milliseconds since the epoch, from `exp`, which is judged, else from `expires_in`, both in seconds; null where both are missing. */
function expiryOf({ exp = null, expires_in: rest = null }: JsonObject, now: number): number | null {
  if (exp !== null) return responseDate(exp)
  if (rest === null) return null
  const lifetime = responseDate(rest)
  if (lifetime === null) throw new TokenError('the claim expires_in is not a number of seconds')
  return now + lifetime
}
