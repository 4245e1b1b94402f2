import { decodeJwt } from 'jose'
import { json, oauthError } from '../http/answer.ts'
import { type Endpoint, headerOf } from '../http/call.ts'
import type { Family } from '../settings.ts'
import type { Tokens } from '../state/tokens.ts'

/** `tokeninfo`: the older way to ask about a token, which anybody who holds it may. */
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
      // OpenAM answers for a signed token with its claims: `scope` is a text, `expires_in` milliseconds.
      if (family === 'openam' && value.includes('.')) return json({ ...decodeJwt(value), access_token: value })
      return json({
        // Every scope appears as a field of its own, with what it stands for.
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
