import { decodeJwt } from 'jose'
import { type Endpoint, headerOf } from '../http/call.ts'
import { json, oauthError } from '../http/endpoint-response.ts'
import type { Family } from '../settings.ts'
import type { Tokens } from '../state/tokens.ts'

/** `tokeninfo`: the older endpoint for token information, without client authentication. */
export function tokenInformation(tokens: Tokens, now: () => number, family: Family): Endpoint {
  return {
    name: 'tokeninfo',
    methods: ['GET', 'POST'],
    handle: ({ query, headers }) => {
      const bearer = /^Bearer +(\S+)$/i.exec(headerOf(headers, 'authorization') ?? '')?.[1]
      const value = query.get('access_token') ?? bearer
      if (value === undefined) return oauthError('invalid_request', 'Missing parameter: access_token')
      const token = tokens.find(value)
      if (token === undefined || token.kind !== 'access')
        return oauthError('invalid_token', 'The access token is invalid, expired or revoked', 401)
      const { grant, scopes } = token
      // OpenAM returns the claims of a signed token: `scope` is a text, `expires_in` milliseconds.
      if (family === 'openam' && value.includes('.')) return json({ ...decodeJwt(value), access_token: value })
      return json({
        // Every scope is also a member with its value.
        ...Object.fromEntries(scopes.map((scope) => [scope, ''])),
        access_token: value,
        grant_type: grant.grantType,
        scope: scopes,
        realm: grant.realm,
        token_type: token.tokenType,
        expires_in: Math.floor((token.expiresAt - now()) / 1000),
        client_id: grant.clientId,
      })
    },
  }
}
