import {
  AdminCallerContext,
  CdssoContext,
  JwtValidationContext,
  OAuth2Context,
  OAuth2InfoContext,
  SsoTokenContext,
} from '#contracts'
import type { Exchange, Filter } from '#http'
import type { JsonValue } from '#json'

/** User name of the admin credentials. */
export const ADMIN_USER = 'admin'

/** Runs after the configured protection: sets the caller from the contexts of its filters. */
export const identifyCaller: Filter = async (exchange, next) => {
  return next(exchange.with(AdminCallerContext, { userId: userIn(exchange), authentication: 'adminProtection' }))
}

/** The first user name in the contexts of the filters. */
function userIn(exchange: Exchange): string | null {
  const sso = exchange.context(SsoTokenContext)
  const login = exchange.context(OAuth2InfoContext)
  const token = exchange.context(OAuth2Context)?.accessToken.info
  const jwt = exchange.context(JwtValidationContext)?.claims
  const cdsso = exchange.context(CdssoContext)?.claimsSet
  const names: readonly (JsonValue | undefined)[] = [
    sso?.universalId,
    sso?.info['username'],
    sso?.info['uid'],
    login?.id_token_claims?.['sub'],
    login?.user_info?.['sub'],
    token?.['sub'],
    token?.['username'],
    token?.['client_id'],
    jwt?.get('sub'),
    cdsso?.get('sub'),
  ]
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? null
}
