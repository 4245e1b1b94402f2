import { parseSignedToken, readClaims, TokenError, violations } from '#jose'
import { idTokenClaims } from './id-token.ts'
import { isEncrypted } from './issued-tokens.ts'
import { InvalidResponseError } from './open-id-error.ts'

/** Requirements on a JWT-secured authorization response (JARM section 2.4). */
interface JwtResponseRules {
  readonly issuer: string
  readonly clientId: string
  /** Accepted clock skew in milliseconds. */
  readonly skew: number
  /** Milliseconds since the epoch. */
  readonly now: number
  decrypt(jwe: string): Promise<string>
  signatureProblem(jwt: string): Promise<string | null>
}

/** Claims of the JWT itself. `iss` is a parameter of the response, too (RFC 9207). */
const OWN_CLAIMS = ['aud', 'exp', 'iat', 'nbf', 'jti']

/** Validates the JWT of a response and returns its parameters. */
export async function openJwtResponse(jwt: string, rules: JwtResponseRules): Promise<URLSearchParams> {
  if (jwt === '') throw new InvalidResponseError('it is no JWT')
  const signed = isEncrypted(jwt) ? await rules.decrypt(jwt) : jwt
  const problem = await rules.signatureProblem(signed)
  if (problem !== null) throw new InvalidResponseError(problem)
  return new URLSearchParams(
    Object.entries(judgedClaims(signed, rules)).flatMap(([name, value]) =>
      typeof value === 'string' && !OWN_CLAIMS.includes(name) ? [[name, value]] : [],
    ),
  )
}

function judgedClaims(jwt: string, { issuer, clientId, now, skew }: JwtResponseRules) {
  try {
    const { header, payload } = parseSignedToken(jwt)
    const claims = readClaims(payload)
    const parties = { issuer, audience: [clientId] }
    const [violation] = violations(header, claims, { kind: 'authorizationResponse', times: { now, skew }, ...parties })
    if (violation === undefined) return claims
    throw new InvalidResponseError(violation.message)
  } catch (error) {
    if (error instanceof TokenError) throw new InvalidResponseError(error.message)
    throw error
  }
}

/** The `state` of a response, not verified; null without one. */
export async function stateOfJwtResponse(
  jwt: string,
  decrypt: (jwe: string) => Promise<string>,
): Promise<string | null> {
  const signed = isEncrypted(jwt) ? await decrypt(jwt).catch(() => '') : jwt
  const state = idTokenClaims(signed)?.['state']
  return typeof state === 'string' ? state : null
}
