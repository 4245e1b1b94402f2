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
import { OpenIdError } from '#openid'
import type { Clock } from '#schema'
import { EVENTS } from '../log-events.ts'
import { type AccessTokenRules, accessTokenProblem } from './access-token-type.ts'

export interface StatelessTokensSettings {
  /** The `iss` of its tokens. Throws OpenIdError where the metadata of the issuer are unavailable. */
  readonly issuer: () => string | Promise<string>
  /** Null where the audience is not checked. */
  readonly audience: string | null
  readonly tokenTypes: AccessTokenRules['tokenTypes']
  /** Whether tokens of RFC 9068 are rejected without `audience`. */
  readonly needsAudience: boolean
  /** Path of members to the scopes; null for `scope` or `scp`. */
  readonly scopePath: readonly string[] | null
  readonly keys: OpeningKeys
  /** Allowed clock skew in milliseconds. */
  readonly skew: number
  readonly clock: Clock
  readonly logger: Logger
}

/** Validates access tokens that are JWTs (access manager protocol 2.2). */
export class StatelessTokens implements AccessTokenResolver {
  readonly #settings: StatelessTokensSettings

  constructor(settings: StatelessTokensSettings) {
    this.#settings = settings
  }

  async resolve(token: string): Promise<TokenResolution> {
    const opened = await openJwt(token, this.#settings.keys)
    if (opened.outcome === 'invalid') return refusal(opened.reason)
    if (opened.outcome === 'unavailable') return this.#unavailable(opened.reason)
    try {
      return this.#validate(token, opened, await this.#settings.issuer())
    } catch (error) {
      if (error instanceof OpenIdError) return this.#unavailable(error.message)
      throw error
    }
  }

  #validate(token: string, opened: OpenedJwt, issuer: string): TokenResolution {
    const { audience, tokenTypes, needsAudience, scopePath, skew, clock } = this.#settings
    const { claims } = opened
    if (claim(claims, 'iss') !== issuer) return refusal('the token has another issuer')
    if (audience !== null && !isForAudience(claims, audience)) return refusal('the token is for another audience')
    const problem = accessTokenProblem(opened, { tokenTypes, lacksAudience: needsAudience && audience === null })
    if (problem !== null) return refusal(problem)
    const [violation] = timeViolations(claims, { now: clock.now(), skew, required: ['exp'] })
    if (violation !== undefined) return refusal(violation)
    try {
      const scopes = scopesOf(claims, scopePath)
      // Includes the skew, so that later checks of the expiry agree with this resolver.
      const expiresAt = (numericDate(claim(claims, 'exp') as JsonValue) as number) + skew
      return { outcome: 'valid', accessToken: { token, info: claims, scopes, expiresAt } }
    } catch (error) {
      if (error instanceof TokenError) return refusal(error.message)
      throw error
    }
  }

  #unavailable(reason: string): TokenResolution {
    this.#settings.logger.limited(reason).error({ reason }, EVENTS.TOKENS_NOT_VERIFIED)
    return { outcome: 'unavailable', description: 'The keys of access tokens are unavailable.' }
  }
}

/** The reason as a sentence for the client. */
function refusal(reason: string): TokenResolution {
  return { outcome: 'invalid', description: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.` }
}
