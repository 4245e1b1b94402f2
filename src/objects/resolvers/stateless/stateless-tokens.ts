import type { AccessTokenResolver, TokenResolution } from '#contracts'
import {
  claim,
  normalType,
  numericDate,
  type OpenedJwt,
  type OpeningKeys,
  openJwt,
  scopesOf,
  TokenError,
  violations,
} from '#jose'
import type { JsonValue } from '#json'
import type { Logger } from '#logging'
import { OpenIdError } from '#openid'
import type { Clock } from '#schema'
import { refusal } from '../../lib/tokens/token-info.ts'
import { EVENTS } from '../log-events.ts'

/** The type of access tokens by RFC 9068 section 2.1. */
export const ACCESS_TOKEN_TYPE = 'at+jwt'

interface StatelessTokensSettings {
  /** The `iss` of its tokens. Throws OpenIdError where the metadata of the issuer are unavailable. */
  readonly issuer: () => string | Promise<string>
  /** Null where the audience is not checked. */
  readonly audience: readonly string[] | null
  /** Accepted values of the header `typ`, in the form of `normalType`. */
  readonly tokenTypes: ReadonlySet<string>
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
    const { claims, header } = opened
    const times = { now: clock.now(), skew }
    const [violation] = violations(header, claims, { kind: 'accessToken', times, issuer, audience, types: tokenTypes })
    if (violation !== undefined) return refusal(violation.message)
    // RFC 9068 section 4: the audience must be checked, unless the configuration names the type without one.
    const isUnchecked = needsAudience && audience === null && claim(claims, 'tokenName') === undefined
    if (isUnchecked && header.typ !== null && normalType(header.typ) === ACCESS_TOKEN_TYPE) {
      return refusal(
        `a token of the type ${ACCESS_TOKEN_TYPE} is accepted only where "audience" or "tokenTypes" is configured`,
      )
    }
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
