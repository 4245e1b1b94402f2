import type { AccessToken, AccessTokenResolver, TokenRejection, TokenResolution } from '#contracts'
import type { Exchange } from '#http'
import { claim, parseToken, readClaims, TokenError } from '#jose'
import { invalidToken, schemeOf } from '../../lib/access-token/bound-token.ts'

type Schemes = NonNullable<AccessTokenResolver['schemes']>

const BEARER: Schemes = ['Bearer']
const UNKNOWN: TokenRejection = invalidToken('The access token is of no issuer that is known here.')

/** Chooses a resolver by what a token claims of its issuer. Nothing else is believed: the resolver has to verify it  (spec gap 171). */
export class IssuerChoice implements AccessTokenResolver {
  readonly schemes: Schemes
  readonly #byIssuer: ReadonlyMap<string, AccessTokenResolver>
  readonly #opaque: AccessTokenResolver | null

  constructor(byIssuer: ReadonlyMap<string, AccessTokenResolver>, opaque: AccessTokenResolver | null) {
    this.#byIssuer = byIssuer
    this.#opaque = opaque
    const all = [...byIssuer.values(), ...(opaque === null ? [] : [opaque])]
    this.schemes = [...new Set(all.flatMap((resolver) => resolver.schemes ?? BEARER))]
  }

  async resolve(token: string, exchange: Exchange): Promise<TokenResolution> {
    const issuer = issuerOf(token)
    const resolver = this.#chosen(issuer)
    if (resolver === null) return UNKNOWN
    const resolution = await resolver.resolve(token, exchange)
    if (resolution.outcome !== 'valid' || issuer === null) return resolution
    // A server that speaks of another issuer than the token does not speak of this token.
    const introspected = claim(resolution.accessToken.info, 'iss')
    return introspected === undefined || introspected === issuer ? resolution : UNKNOWN
  }

  async admit(accessToken: AccessToken, exchange: Exchange): Promise<TokenRejection | null> {
    const resolver = this.#chosen(issuerOf(accessToken.token))
    if (resolver === null) return UNKNOWN
    // Another issuer may take tokens under a scheme that this one does not.
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

  /** A Map has only its own keys: a token can name `__proto__` as its issuer (threats B40). */
  #chosen(issuer: string | null | undefined): AccessTokenResolver | null {
    if (issuer === undefined) return null
    return issuer === null ? this.#opaque : (this.#byIssuer.get(issuer) ?? null)
  }
}

/** What a token claims; undefined where it claims nothing, null where it is nothing that could be read. */
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

/** Three parts with dots between them are meant as a signed token: one that can not be read is not taken for something else. */
function isCompact(text: string): boolean {
  return text.split('.', 4).length === 3
}
