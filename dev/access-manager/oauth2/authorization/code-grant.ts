import { oauthError } from '../../http/endpoint-response.ts'
import type { Family } from '../../settings.ts'
import type { Client } from '../../state/accounts.ts'
import type { GrantType } from '../token-endpoint.ts'
import { binding, type TokenIssuer } from '../token-issuer.ts'
import type { AuthorizationCodes } from './codes.ts'
import type { IdTokenSettings, IdTokens } from './id-tokens.ts'

/** Tokens for a code (RFC 6749 section 4.1.3), with an ID token where `openid` was requested. */
export function authorizationCode(
  codes: AuthorizationCodes,
  issuer: TokenIssuer,
  idTokens: IdTokens,
  family: Family,
): GrantType {
  return async ({ form, client, thumbprint }) => {
    const granted = codes.redeem(form, client)
    if (granted === null) return oauthError('invalid_grant', 'The authorization code is invalid, expired or used')
    const { grant, request, session } = granted
    const order = { client, grant, scopes: request.scopes, ...binding(thumbprint) }
    const idToken = request.scopes.includes('openid')
      ? await idTokens.issue({ audience: client.id, session, nonce: request.nonce, ...signingOf(client, family) })
      : null
    return {
      access: await issuer.accessToken(order),
      refresh: issuer.refreshToken(order),
      fields: idToken === null ? {} : { id_token: idToken },
    }
  }
}

/** By default ID tokens of OpenAM are signed with the secret of the client. */
function signingOf(
  { signingAlgorithm, secret }: Client,
  family: Family,
): Pick<IdTokenSettings, 'algorithm' | 'secret'> {
  const algorithm = signingAlgorithm ?? (family === 'openam' && secret !== undefined ? 'HS256' : 'RS256')
  return algorithm === 'HS256' && secret !== undefined ? { secret } : { algorithm }
}
