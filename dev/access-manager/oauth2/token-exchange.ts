import { oauthError } from '../http/endpoint-response.ts'
import type { IssuedToken } from '../state/tokens.ts'
import type { GrantContext } from './grant-context.ts'
import { grantedScopes, invalidScope } from './scopes.ts'
import { subjectOf } from './subject-name.ts'
import type { GrantType } from './token-endpoint.ts'
import { binding } from './token-issuer.ts'

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

/** Token exchange (RFC 8693) for the same subject; an actor token makes it a delegation. */
export function tokenExchange({ tokens, issuer, family }: GrantContext): GrantType {
  return async ({ call, form, client, thumbprint }) => {
    const subject = activeToken(form, 'subject_token', call.realm)
    const wanted = form.get('requested_token_type') ?? ACCESS_TOKEN
    if (wanted !== ACCESS_TOKEN)
      return oauthError('invalid_request', `requested_token_type is not supported: ${wanted}`)
    if (typeof subject === 'string') return oauthError('invalid_request', subject)
    const actor = form.has('actor_token') ? activeToken(form, 'actor_token', call.realm) : null
    if (typeof actor === 'string') return oauthError('invalid_request', actor)
    const may = client.scopes ?? []
    const asked = form.get('scope')
    const scopes = asked === null ? subject.scopes.filter((scope) => may.includes(scope)) : grantedScopes(asked, client)
    if (scopes === null) return invalidScope()
    const audience = [...form.getAll('audience'), ...form.getAll('resource')]
    const extra = {
      ...(actor === null ? {} : { act: { sub: subjectOf(actor.grant, family) } }),
      ...(audience.length === 0 ? {} : { aud: audience.length === 1 ? audience[0] : audience }),
    }
    const { subject: who, realm } = subject.grant
    const grant = tokens.grant({ clientId: client.id, realm, subject: who, grantType: 'token-exchange' })
    // An exchange must not extend the lifetime.
    const lifetime = Math.min(client.accessTokenLifetime ?? 3_600_000, issuer.remaining(subject))
    const access = await issuer.accessToken({ client, grant, scopes, extra, lifetime, ...binding(thumbprint) })
    return { access, fields: { issued_token_type: ACCESS_TOKEN } }
  }

  function activeToken(form: URLSearchParams, name: string, realm: string): IssuedToken | string {
    const value = form.get(name)
    if (value === null) return `${name} is required`
    const type = form.get(`${name}_type`)
    if (type !== ACCESS_TOKEN) return `${name}_type is missing or not supported`
    const token = tokens.find(value)
    const good = token !== undefined && token.kind === 'access' && token.grant.realm === realm
    return good ? token : `${name} is invalid or has expired`
  }
}
