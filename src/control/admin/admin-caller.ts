import { CdssoContext, JwtValidationContext, OAuth2Context, OAuth2InfoContext, SsoTokenContext } from '#contracts'
import { type ContextKey, contextKey, type Exchange, type Filter } from '#http'
import type { JsonValue } from '#json'

/** Who uses the management API, and how that is known. */
export interface AdminCaller {
  /** Null for an anonymous caller. */
  readonly userId: string | null
  /** `loopback`: no credentials were asked for, since the caller is on this machine and the mode is DEVELOPMENT. */
  readonly authentication: 'basic' | 'bearer' | 'loopback' | 'adminProtection'
}

/** The context `adminCaller`, of requests that were let into the management API. */
export const AdminCallerContext: ContextKey<AdminCaller> = contextKey<AdminCaller>('adminCaller')

/** The user that the admin credentials stand for. */
export const ADMIN_USER = 'admin'

/** Follows the configured protection: takes over whom it has found, in the contexts that its filters left. */
export const identifyCaller: Filter = async (exchange, next) => {
  return next(exchange.with(AdminCallerContext, { userId: userIn(exchange), authentication: 'adminProtection' }))
}

/** The first name that one of the filters vouches for. */
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
