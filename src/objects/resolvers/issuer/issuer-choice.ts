import type { AccessToken, AccessTokenResolver, TokenRejection, TokenResolution } from '#contracts'
import type { Exchange } from '#http'
import { claim, parseToken, readClaims, TokenError } from '#jose'
import { invalidToken, schemeOf } from '../../lib/tokens/bound-token.ts'

type Schemes = NonNullable<AccessTokenResolver['schemes']>

const BEARER: Schemes = ['Bearer']
const UNKNOWN: TokenRejection = invalidToken('The issuer of the access token is unknown.')

/** Selects a resolver by the unverified `iss` claim of a token. The selected resolver verifies the token (spec gap 171). */
export class IssuerChoice implements AccessTokenResolver {
  readonly schemes: Schemes
  readonly accessManagers: NonNullable<AccessTokenResolver['accessManagers']>
  readonly #byIssuer: ReadonlyMap<string, AccessTokenResolver>
  readonly #opaque: AccessTokenResolver | null

  constructor(byIssuer: ReadonlyMap<string, AccessTokenResolver>, opaque: AccessTokenResolver | null) {
    this.#byIssuer = byIssuer
    this.#opaque = opaque
    const all = [...byIssuer.values(), ...(opaque === null ? [] : [opaque])]
    this.schemes = [...new Set(all.flatMap((resolver) => resolver.schemes ?? BEARER))]
    this.accessManagers = [...new Set(all.flatMap((resolver) => resolver.accessManagers ?? []))]
  }

  async resolve(token: string, exchange: Exchange): Promise<TokenResolution> {
    const issuer = issuerOf(token)
    const resolver = this.#chosen(issuer)
    if (resolver === null) return UNKNOWN
    const resolution = await resolver.resolve(token, exchange)
    if (resolution.outcome !== 'valid' || issuer === null) return resolution
    // A result with another issuer is not about this token.
    const introspected = claim(resolution.accessToken.info, 'iss')
    return introspected === undefined || introspected === issuer ? resolution : UNKNOWN
  }

  async admit(accessToken: AccessToken, exchange: Exchange): Promise<TokenRejection | null> {
    const resolver = this.#chosen(issuerOf(accessToken.token))
    if (resolver === null) return UNKNOWN
    // Other issuers may accept schemes that this one does not.
    const scheme = schemeOf(exchange)
    if (scheme !== null && !(resolver.schemes ?? BEARER).includes(scheme)) {
      return invalidToken('The access token can not be sent by this scheme.')
    }
    return (await resolver.admit?.(accessToken, exchange)) ?? null
  }

  verifiesBinding(accessToken: AccessToken): boolean {
    return this.#chosen(issuerOf(accessToken.token))?.verifiesBinding?.(accessToken) ?? false
  }

  watch(accessToken: AccessToken, revoked: () => void): () => void {
    const resolver = this.#chosen(issuerOf(accessToken.token))
    return resolver?.watch?.(accessToken, revoked) ?? (() => {})
  }

  /** A Map, since a token may have the issuer `__proto__` (threats B40). */
  #chosen(issuer: string | null | undefined): AccessTokenResolver | null {
    if (issuer === undefined) return null
    return issuer === null ? this.#opaque : (this.#byIssuer.get(issuer) ?? null)
  }
}

/** The issuer of a token; undefined for a signed token without a readable issuer, null for other tokens. */
function issuerOf(text: string): string | null | undefined {
  try {
    const token = parseToken(text)
    if (token.form !== 'signed') return null
    const issuer = claim(readClaims(token.payload), 'iss')
    return typeof issuer === 'string' ? issuer : undefined
  } catch (error) {
    if (error instanceof TokenError) return isCompact(text) ? undefined : null
    throw error
  }
}

/** Three parts separated by dots are a signed token; a malformed one does not go to the default resolver. */
function isCompact(text: string): boolean {
  return text.split('.', 4).length === 3
}
