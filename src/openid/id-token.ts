import { parseSignedToken, readClaims, TokenError, type TokenRules, violations } from '#jose'
import type { JsonObject } from '#json'
import { OpenIdError } from './open-id-error.ts'

/** What an ID token must satisfy. */
interface IdTokenRules {
  readonly issuer: string
  readonly clientId: string
  /** Algorithms that the server signs ID tokens with. */
  readonly algorithms: readonly string[]
  readonly times: TokenRules['times']
  /** The nonce of the login, or null for one without; not checked by default. */
  readonly nonce?: string | null
}

/** The claims of an ID token, judged except for its signature (OpenID Connect Core section 3.1.3.7). Throws OpenIdError. */
export function judgedIdToken(idToken: string, rules: IdTokenRules): JsonObject {
  const { issuer, clientId, algorithms, ...others } = rules
  const { header, payload } = readable(() => parseSignedToken(idToken))
  if (!algorithms.includes(header.alg)) throw invalid('its algorithm is not one of the server')
  const claims = readable(() => readClaims(payload))
  const parties = { issuer, audience: [clientId], needsAuthorizedParty: true }
  const [violation] = violations(header, claims, { kind: 'idToken', ...parties, ...others })
  if (violation !== undefined) throw invalid(violation.message)
  return claims
}

/** The claims of an ID token that is already judged; null if malformed. Numbers that no double represents stay exact. */
export function idTokenClaims(idToken: string): JsonObject | null {
  try {
    return readClaims(parseSignedToken(idToken).payload)
  } catch (error) {
    if (error instanceof TokenError) return null
    throw error
  }
}

function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof TokenError) throw invalid(error.message)
    throw error
  }
}

function invalid(reason: string): OpenIdError {
  return new OpenIdError('server_error', `the ID token is invalid: ${reason}`, false)
}
