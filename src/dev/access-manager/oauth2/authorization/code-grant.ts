import { oauthError } from '../../http/answer.ts'
import type { GrantType } from '../token-endpoint.ts'
import { binding, type TokenIssuer } from '../token-issuer.ts'
import type { AuthorizationCodes } from './codes.ts'
import type { IdTokens } from './id-tokens.ts'

/** Tokens for a code (RFC 6749 section 4.1.3), with an ID token where `openid` was asked for. */
export function authorizationCode(codes: AuthorizationCodes, issuer: TokenIssuer, idTokens: IdTokens): GrantType {
  return async ({ form, client, thumbprint }) => {
    const granted = codes.redeem(form, client)
    if (granted === null) return oauthError('invalid_grant', 'The authorization code is invalid, expired or used')
    const { grant, request, session } = granted
    const order = { client, grant, scopes: request.scopes, ...binding(thumbprint) }
    const { signingAlgorithm = 'RS256' } = client
    const idToken = request.scopes.includes('openid')
      ? await idTokens.issue({
          audience: client.id,
          session,
          nonce: request.nonce,
          // HS256 would need the secret of the client as its key.
          algorithm: signingAlgorithm === 'HS256' ? 'RS256' : signingAlgorithm,
        })
      : null
    return {
      access: await issuer.accessToken(order),
      refresh: issuer.refreshToken(order),
      fields: idToken === null ? {} : { id_token: idToken },
    }
  }
}
