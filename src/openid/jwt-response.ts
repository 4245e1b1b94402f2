import { parseSignedToken, readClaims, TokenError, violations } from '#jose'
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
    const { header, claims } = readResponse(jwt)
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
  try {
    const { state } = readResponse(signed).claims
    return typeof state === 'string' ? state : null
  } catch (error) {
    if (error instanceof TokenError) return null
    throw error
  }
}

/** Throws TokenError. */
function readResponse(jwt: string) {
  const { header, payload } = parseSignedToken(jwt)
  return { header, claims: readClaims(withOneIssuer(payload)) }
}

/** Keycloak writes `iss` twice, with one value: that of the JWT, and that of RFC 9207. Any other claim may be there once. */
function withOneIssuer(payload: Buffer): Buffer {
  const text = payload.toString('latin1')
  const [first, second, ...others] = text.match(/"iss":"[^"\\]*",/g) ?? []
  const isRepeated = first !== undefined && first === second && others.length === 0
  return isRepeated ? Buffer.from(text.replace(first, ''), 'latin1') : payload
}
