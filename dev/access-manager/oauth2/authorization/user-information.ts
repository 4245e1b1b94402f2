import { type Endpoint, headerOf } from '../../http/call.ts'
import { json, oauthError } from '../../http/endpoint-response.ts'
import type { Directory } from '../../state/accounts.ts'
import type { Tokens } from '../../state/tokens.ts'
import { subjectOf } from '../subject-name.ts'

/** `userinfo`: the user of a token with the scope `openid`; with `profile`, all attributes. */
export function userInformation(tokens: Tokens, directory: Directory): Endpoint {
  return {
    name: 'userinfo',
    methods: ['GET', 'POST'],
    handle: ({ headers, realm }) => {
      const value = /^(?:Bearer|DPoP) +(\S+)$/i.exec(headerOf(headers, 'authorization') ?? '')?.[1]
      const token = value === undefined ? undefined : tokens.find(value)
      if (token === undefined || token.kind !== 'access' || token.grant.realm !== realm)
        return oauthError('invalid_token', 'The access token is invalid, expired or revoked', 401, {
          'WWW-Authenticate': 'Bearer error="invalid_token"',
        })
      if (!token.scopes.includes('openid')) return oauthError('insufficient_scope', 'The scope openid is required', 403)
      const { grant, scopes } = token
      const attributes = directory.user(realm, grant.subject.name)?.attributes ?? {}
      const released = Object.entries(scopes.includes('profile') ? attributes : {})
      return json({
        ...Object.fromEntries(released.map(([name, values]) => [name, values.length === 1 ? values[0] : values])),
        sub: subjectOf(grant, 'pingam'),
        subname: grant.subject.name,
      })
    },
  }
}
