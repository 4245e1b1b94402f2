import { oauthError } from '../http/endpoint-response.ts'
import type { Client } from '../state/accounts.ts'
import { isOf } from '../state/tokens.ts'
import type { GrantContext } from './grant-context.ts'
import { grantedScopes, invalidScope } from './scopes.ts'
import type { GrantRequest, GrantType, Issued } from './token-endpoint.ts'
import { tokenExchange } from './token-exchange.ts'
import { binding, type TokenIssuer, type TokenSettings } from './token-issuer.ts'

/** Grant types of the token endpoint. */
export function grantTypes(context: GrantContext): Readonly<Record<string, GrantType>> {
  return {
    client_credentials: clientCredentials(context),
    password: password(context),
    refresh_token: refresh(context),
    // OpenAM has no token exchange.
    ...(context.family === 'pingam' && {
      'urn:ietf:params:oauth:grant-type:token-exchange': tokenExchange(context),
    }),
  }
}

function clientCredentials({ tokens, issuer }: GrantContext): GrantType {
  return async ({ form, client, thumbprint }) => {
    const scopes = grantedScopes(form.get('scope'), client)
    if (scopes === null) return invalidScope()
    const grant = tokens.grant({
      ...placeOf(client),
      subject: { kind: 'client', name: client.id },
      grantType: 'client_credentials',
    })
    return { access: await issuer.accessToken({ client, grant, scopes, ...binding(thumbprint) }) }
  }
}

function password({ directory, tokens, issuer }: GrantContext): GrantType {
  return async ({ call, form, client, thumbprint }) => {
    const user = directory.authenticateUser(call.realm, form.get('username') ?? '', form.get('password') ?? '')
    if (user === undefined) return oauthError('invalid_grant', 'The provided access grant is invalid')
    const scopes = grantedScopes(form.get('scope'), client)
    if (scopes === null) return invalidScope()
    const subject = { kind: 'user', name: user.name } as const
    const grant = tokens.grant({ ...placeOf(client), subject, grantType: 'password' })
    return bothTokens(issuer, { client, grant, scopes, ...binding(thumbprint) })
  }
}

function refresh({ tokens, issuer }: GrantContext): GrantType {
  return async ({ form, client, thumbprint }: GrantRequest) => {
    const old = tokens.find(form.get('refresh_token') ?? '')
    if (old === undefined || old.kind !== 'refresh' || !isOf(old.grant, client))
      return oauthError('invalid_grant', 'The refresh token is invalid, expired or revoked')
    const bound = old.confirmation?.['jkt']
    if (bound !== undefined && bound !== thumbprint)
      return oauthError('invalid_dpop_proof', 'The refresh token is bound to another key')
    const asked = form.get('scope')
    const scopes = asked === null ? old.scopes : grantedScopes(asked, client, old.scopes)
    if (scopes === null) return invalidScope()
    tokens.retire(old)
    const order = { client, grant: old.grant, scopes, ...binding(thumbprint) }
    // The new refresh token keeps the scopes of the old one, also where fewer are requested (RFC 6749 section 6).
    return { access: await issuer.accessToken(order), refresh: issuer.refreshToken({ ...order, scopes: old.scopes }) }
  }
}

async function bothTokens(issuer: TokenIssuer, order: TokenSettings): Promise<Issued> {
  return { access: await issuer.accessToken(order), refresh: issuer.refreshToken(order) }
}

function placeOf({ id, realm }: Client): { clientId: string; realm: string } {
  return { clientId: id, realm: realm ?? '/' }
}
