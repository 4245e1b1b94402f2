import {
  AdminCallerContext,
  CdssoContext,
  JwtValidationContext,
  OAuth2Context,
  OAuth2InfoContext,
  SsoTokenContext,
} from '#contracts'
import { clientSubject } from '#expression'
import type { Exchange } from '#http'

/**
 * The user of a request as its contexts name it: the session of the access manager first, then tokens, the caller of the management
 * API, the entry `username` of the session, and the client certificate.
 */
export function auditUser(exchange: Exchange): string | null {
  if (exchange.contexts !== null) {
    const user = userOfContexts(exchange)
    if (user !== undefined) return user
  }
  return text(exchange.existingSession?.get('username')) ?? clientSubject(exchange.client.certificates)
}

/** Undefined without a context that names a user. */
function userOfContexts(exchange: Exchange): string | null | undefined {
  const sso = exchange.context(SsoTokenContext)
  if (sso !== null) return sso.universalId ?? text(sso.info['username']) ?? text(sso.info['uid'])
  const cdsso = exchange.context(CdssoContext)
  if (cdsso !== null) return cdsso.sessionUid
  const oauth2 = exchange.context(OAuth2Context)
  if (oauth2 !== null) {
    const { info } = oauth2.accessToken
    return text(info['sub']) ?? text(info['user_id']) ?? text(info['username']) ?? text(info['client_id'])
  }
  const openId = exchange.context(OAuth2InfoContext)
  if (openId !== null) return text(openId.id_token_claims?.['sub'])
  const jwt = exchange.context(JwtValidationContext)
  if (jwt !== null) return text(jwt.info['sub'])
  return exchange.context(AdminCallerContext)?.userId ?? undefined
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
