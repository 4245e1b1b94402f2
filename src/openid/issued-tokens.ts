import { getValidatedIdTokenClaims, type TokenEndpointResponse } from 'oauth4webapi'
import { isPlainObject, type JsonObject, parseJson } from '#json'

/** Tokens of a token response. */
export interface IssuedTokens {
  /** The token response. */
  readonly answer: JsonObject
  readonly accessToken: string
  readonly refreshToken: string | null
  /** The signed ID token, decrypted where it was encrypted. */
  readonly idToken: string | null
  /** Claims of the ID token, validated except for the signature. */
  readonly claims: JsonObject | null
  /** Lifetime of the access token in seconds; null where the server did not send it. */
  readonly expiresIn: number | null
}

/** The tokens of a validated response. */
export function issuedTokens(tokens: TokenEndpointResponse): IssuedTokens {
  const claims = getValidatedIdTokenClaims(tokens) === undefined ? null : idTokenClaims(tokens.id_token ?? '')
  return {
    answer: tokens as unknown as JsonObject,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? null,
    idToken: tokens.id_token ?? null,
    claims,
    expiresIn: tokens.expires_in ?? null,
  }
}

/** The claims of an ID token that is already validated; null if malformed. Numbers that no double represents stay exact. */
export function idTokenClaims(idToken: string): JsonObject | null {
  try {
    const claims = parseJson(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8'))
    return isPlainObject(claims) ? (claims as JsonObject) : null
  } catch {
    return null
  }
}

/** A JWE in compact form has five parts (RFC 7516 section 7.1). */
export function isEncrypted(token: string): boolean {
  return token.split('.', 6).length === 5
}

/**
 * A token response with the signed ID token in place of the encrypted one: later validation, and the `id_token_hint` of a
 * logout, need it (OpenID Connect RP-Initiated Logout 1.0 section 4).
 */
export async function withReadableIdToken(
  answer: globalThis.Response,
  decrypt: (jwe: string) => Promise<string>,
): Promise<globalThis.Response> {
  if (answer.status !== 200) return answer
  const body: unknown = JSON.parse(await answer.clone().text())
  const idToken = isPlainObject(body) ? body['id_token'] : null
  if (typeof idToken !== 'string' || !isEncrypted(idToken)) return answer
  const readable = { ...(body as Record<string, unknown>), id_token: await decrypt(idToken) }
  return new globalThis.Response(JSON.stringify(readable), { status: 200, headers: answer.headers })
}
