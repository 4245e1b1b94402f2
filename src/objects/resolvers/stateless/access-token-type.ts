import { claim, type OpenedJwt } from '#jose'
import type { JsonObject } from '#json'

/** Rules for access tokens. */
export interface AccessTokenRules {
  /** Accepted values of the header `typ`, in the form of `normalType`. */
  readonly tokenTypes: ReadonlySet<string>
  /** Whether neither an audience nor types are configured. */
  readonly lacksAudience: boolean
}

/** The type of access tokens by RFC 9068 section 2.1. */
export const ACCESS_TOKEN_TYPE = 'at+jwt'
/** Also used for tokens without a type: `JWT` does not specify the use of a token. */
const GENERIC_TYPE = 'jwt'

/** Values of the claim `typ` of Keycloak for other tokens; those of access tokens are `Bearer` and `DPoP`. */
const OTHER_USES: ReadonlySet<string> = new Set(['id', 'refresh', 'offline', 'logout'])
const ACCESS_USES: ReadonlySet<string> = new Set(['bearer', 'dpop'])
/** Claims of ID tokens (OpenID Connect Core sections 2, 3.3.2.11) and of logout and security event tokens (RFC 8417). */
const CLAIMS_OF_OTHERS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events']

/** A media type of RFC 7515 section 4.1.9: case-insensitive, and `application/` is optional. */
export function normalType(typ: string): string {
  const text = typ.toLowerCase()
  return text.startsWith('application/') ? text.slice('application/'.length) : text
}

/**
 * Why a token is no access token, as a message for the client; null for an access token. ID tokens, refresh tokens and logout tokens are
 * signed with the same keys, and are distinguished by their type.
 */
export function accessTokenProblem({ claims, header }: OpenedJwt, rules: AccessTokenRules): string | null {
  const use = useOf(claims)
  if (use === 'other') return 'the token is not an access token'
  const type = header.typ === null ? GENERIC_TYPE : normalType(header.typ)
  const isTyped = type === ACCESS_TOKEN_TYPE
  if (use === 'unknown' && !isTyped && CLAIMS_OF_OTHERS.some((name) => claim(claims, name) !== undefined))
    return 'the token is not an access token: it has claims of an ID token or a logout token'
  // Access managers declare the type in a claim, independent of the header.
  if (claim(claims, 'tokenName') !== undefined) return null
  if (!rules.tokenTypes.has(type)) return typeProblem(header.typ, rules.tokenTypes)
  // RFC 9068 section 4: the audience of such a token must be checked, unless the configuration names the type without one.
  if (isTyped && rules.lacksAudience)
    return `a token of the type ${ACCESS_TOKEN_TYPE} is accepted only where "audience" or "tokenTypes" is configured`
  return null
}

/** The use of a token by its claims. */
function useOf(claims: JsonObject): 'access' | 'other' | 'unknown' {
  const tokenName = claim(claims, 'tokenName')
  if (tokenName !== undefined) return tokenName === 'access_token' ? 'access' : 'other'
  const tokenUse = claim(claims, 'token_use')
  if (tokenUse !== undefined) return tokenUse === 'access' ? 'access' : 'other'
  const typ = claim(claims, 'typ')
  if (typeof typ !== 'string') return 'unknown'
  if (OTHER_USES.has(typ.toLowerCase())) return 'other'
  return ACCESS_USES.has(typ.toLowerCase()) ? 'access' : 'unknown'
}

function typeProblem(typ: string | null, tokenTypes: ReadonlySet<string>): string {
  const found = typ === null ? 'no type in its header' : `the type ${JSON.stringify(typ.slice(0, 40))}`
  return `the token has ${found}, and "tokenTypes" admits ${[...tokenTypes].join(', ')}`
}
