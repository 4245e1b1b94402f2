import type { AccessTokenResolver, TokenResolution } from '#contracts'
import {
  claim,
  isForAudience,
  numericDate,
  type OpenedJwt,
  type OpeningKeys,
  openJwt,
  scopesOf,
  TokenError,
  timeViolations,
} from '#jose'
import type { JsonValue } from '#json'
import type { Logger } from '#logging'
import type { Clock } from '#schema'

/** What makes a token a good one. */
export interface StatelessTokensSettings {
  readonly issuer: string
  /** Null where tokens for anybody will do. */
  readonly audience: string | null
  readonly keys: OpeningKeys
  /** Milliseconds by which the clock of the issuer may be wrong. */
  readonly skew: number
  readonly clock: Clock
  readonly logger: Logger
}

/** What access managers write into the claim `tokenName` of access tokens, and not into that of others. */
const TOKEN_NAME = 'access_token'
/** What other issuers write into the header of access tokens instead (RFC 9068 section 2.1), in any case of letters. */
const ACCESS_TOKEN_TYPES: readonly string[] = ['at+jwt', 'application/at+jwt']

/** Access tokens that say themselves what they are worth (access manager protocol 2.2). */
export class StatelessTokens implements AccessTokenResolver {
  readonly #settings: StatelessTokensSettings

  constructor(settings: StatelessTokensSettings) {
    this.#settings = settings
  }

  async resolve(token: string): Promise<TokenResolution> {
    const opened = await openJwt(token, this.#settings.keys)
    if (opened.outcome === 'opened') return this.#judge(token, opened)
    if (opened.outcome === 'invalid') return refusal(opened.reason)
    const { reason } = opened
    this.#settings.logger.limited(reason).error({ reason }, 'access tokens can not be verified')
    return { outcome: 'unavailable', description: 'The keys of access tokens can not be had at the moment.' }
  }

  #judge(token: string, opened: OpenedJwt): TokenResolution {
    const { issuer, audience, skew, clock } = this.#settings
    const { claims } = opened
    if (claim(claims, 'iss') !== issuer) return refusal('the token has another issuer')
    if (audience !== null && !isForAudience(claims, audience)) return refusal('the token is for another audience')
    if (!isAccessToken(opened, audience)) return refusal('the token is not an access token')
    const [violation] = timeViolations(claims, { now: clock.now(), skew, required: ['exp'] })
    if (violation !== undefined) return refusal(violation)
    try {
      const scopes = scopesOf(claims)
      // The end of its life as this resolver sees it, so that everybody who looks at the time sees the same.
      const expiresAt = (numericDate(claim(claims, 'exp') as JsonValue) as number) + skew
      return { outcome: 'valid', accessToken: { token, info: claims, scopes, expiresAt } }
    } catch (error) {
      if (error instanceof TokenError) return refusal(error.message)
      throw error
    }
  }
}

/**
 * ID tokens and refresh tokens are signed with the same keys: a token has to say that it is neither. The type in the
 * header says it too, for issuers of RFC 9068, whose tokens are good for the audience they name and for no other.
 */
function isAccessToken({ claims, header }: OpenedJwt, audience: string | null): boolean {
  const name = claim(claims, 'tokenName')
  if (name !== undefined || audience === null) return name === TOKEN_NAME
  return header.typ !== null && ACCESS_TOKEN_TYPES.includes(header.typ.toLowerCase())
}

/** A reason becomes the sentence that the bearer of the token gets. */
function refusal(reason: string): TokenResolution {
  return { outcome: 'invalid', description: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.` }
}
