import type { TokenEndpointResponse } from 'oauth4webapi'
import { type JsonObject, jsonObjectIn } from '#json'
import { OpenIdError } from './open-id-error.ts'

/** Tokens of a token response. */
export interface IssuedTokens {
  /** The token response, without the ID token. */
  readonly answer: JsonObject
  readonly accessToken: string
  readonly refreshToken: string | null
  /** The signed ID token, decrypted where it was encrypted. */
  readonly idToken: string | null
  /** Claims of the ID token, judged except for the signature. */
  readonly claims: JsonObject | null
  /** Lifetime of the access token in seconds; null where the server did not send it. */
  readonly expiresIn: number | null
}

/** The tokens of a judged response. */
export function issuedTokens(
  tokens: TokenEndpointResponse,
  idToken: string | null,
  claims: JsonObject | null,
): IssuedTokens {
  return {
    answer: tokens as unknown as JsonObject,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? null,
    idToken,
    claims,
    expiresIn: tokens.expires_in ?? null,
  }
}

/** A JWE in compact form has five parts (RFC 7516 section 7.1). */
export function isEncrypted(token: string): boolean {
  return token.split('.', 6).length === 5
}

/** A token response in two parts: the library validates the OAuth 2.0 part, TOKEN_KINDS judges the ID token. */
interface SeparatedResponse {
  readonly answer: globalThis.Response
  /** Signed: later validation, and the `id_token_hint` of a logout, need it (OpenID Connect RP-Initiated Logout 1.0 section 4). */
  readonly idToken: string | null
}

export async function separateIdToken(
  answer: globalThis.Response,
  decrypt: (jwe: string) => Promise<string>,
): Promise<SeparatedResponse> {
  if (answer.status !== 200) return { answer, idToken: null }
  const members = jsonObjectIn(new Uint8Array(await answer.arrayBuffer()))
  if (members === null) throw malformed('it is no JSON object with each member once')
  const { id_token: idToken, ...others } = members
  const rest = new globalThis.Response(JSON.stringify(others), { status: 200, headers: answer.headers })
  if (idToken === undefined) return { answer: rest, idToken: null }
  if (typeof idToken !== 'string') throw malformed('its id_token is not a text')
  return { answer: rest, idToken: isEncrypted(idToken) ? await decrypt(idToken) : idToken }
}

function malformed(reason: string): OpenIdError {
  return new OpenIdError('server_error', `the token response is malformed: ${reason}`, false)
}
