import { clientSubject } from '#expression'
import type { Exchange } from '#http'
import { AdminCallerContext } from './admin-caller.ts'
import { CdssoContext } from './cdsso.ts'
import { JwtValidationContext } from './jwt-validation.ts'
import { OAuth2Context } from './oauth2.ts'
import { OAuth2InfoContext } from './oauth2-info.ts'
import { SsoTokenContext } from './sso-token.ts'

/** A user, and by what it is known: users of different sources say nothing about each other. */
interface RequestUser {
  readonly source: string
  readonly name: string
  /** The issuer or realm in which the name is unique. */
  readonly realm: string
}

/**
 * The user of a request as its contexts name it: the session of the access manager first, then tokens, the caller of the management
 * API, the entry `username` of the session, and the client certificate.
 */
export function auditUser(exchange: Exchange): string | null {
  return requestUser(exchange)?.name ?? null
}

/** The user of `auditUser`, with its source. */
export function requestUser(exchange: Exchange): RequestUser | null {
  if (exchange.contexts !== null) {
    const user = userOfContexts(exchange)
    if (user !== undefined) return user
  }
  const { existingSession, client } = exchange
  const username = existingSession === null ? null : userOf('session', '', existingSession.get('username'))
  if (username !== null) return username
  const subject = clientSubject(client.certificates)
  return subject === null ? null : { source: 'certificate', name: subject, realm: '' }
}

/** Undefined without a context that names a user. */
function userOfContexts(exchange: Exchange): RequestUser | null | undefined {
  const sso = exchange.context(SsoTokenContext)
  if (sso !== null) return userOf('sso', sso.info['realm'], sso.universalId, sso.info['username'], sso.info['uid'])
  const cdsso = exchange.context(CdssoContext)
  if (cdsso !== null) return userOf('cdsso', '', cdsso.sessionUid)
  const oauth2 = exchange.context(OAuth2Context)
  if (oauth2 !== null) {
    const { info } = oauth2.accessToken
    return userOf(`oauth2 ${info['iss'] ?? ''}`, '', info['sub'], info['user_id'], info['username'], info['client_id'])
  }
  const openId = exchange.context(OAuth2InfoContext)
  if (openId !== null) {
    const { iss, sub } = openId.id_token_claims ?? {}
    return userOf(`openid ${openId.client_endpoint}`, iss, sub)
  }
  const jwt = exchange.context(JwtValidationContext)
  if (jwt !== null) return userOf(`jwt ${jwt.info['iss'] ?? ''}`, '', jwt.info['sub'])
  const caller = exchange.context(AdminCallerContext)
  return caller === null ? undefined : (userOf('admin', '', caller.userId) ?? undefined)
}

/** With the first of the names that is one. */
function userOf(source: string, realm: unknown, ...names: readonly unknown[]): RequestUser | null {
  const name = names.find((value) => typeof value === 'string' && value !== '')
  return name === undefined ? null : { source, name: name as string, realm: typeof realm === 'string' ? realm : '' }
}
