import { type AmService, type AmSession, type CdssoFailure, CdssoFailureContext } from '#contracts'
import { type Exchange, type Handler, type Response, Uri } from '#http'
import type { Logger } from '#logging'
import type { Condition } from '#schema'
import { recordDenied, recordFailed } from '../../lib/audit/decisions.ts'
import { loginFailurePage } from '../../lib/login/login-failure-page.ts'
import type { SessionCookieSettings } from '../../lib/sessions/session-cookie.ts'
import type { SignOnState } from '../lib/sign-on-steps.ts'
import { EVENTS } from '../log-events.ts'
import type { AgentToken, AgentTokens } from './agent-token.ts'
import type { CrossDomainRedirectSettings } from './cross-domain-redirect.ts'

/** Settings of a cross-domain single sign-on filter. */
export interface CrossDomainSettings extends CrossDomainRedirectSettings {
  readonly amService: AmService
  readonly tokens: AgentTokens
  readonly redirectEndpoint: string
  readonly cookie: SessionCookieSettings
  readonly logoutExpression: Condition | null
  readonly landingPage: string | null
  readonly failureHandler: Handler | null
  readonly logger: Logger
}

/** A verified token of the access manager, and its JWT. */
export interface VerifiedToken {
  readonly jwt: string
  readonly token: AgentToken
}

/** One request to the filter. */
export class CrossDomainRequest implements SignOnState {
  readonly exchange: Exchange
  readonly next: Handler
  readonly settings: CrossDomainSettings
  /** Redirect endpoint, at the site of the request where the configuration has a path. */
  readonly endpoint: Uri
  /** Whether the browser returns from a login. */
  isReturn = false
  verified: VerifiedToken | null = null
  session: AmSession | null = null

  constructor(exchange: Exchange, next: Handler, settings: CrossDomainSettings) {
    this.exchange = exchange
    this.next = next
    this.settings = settings
    const { redirectEndpoint } = settings
    const { scheme, authority } = exchange.originalUri
    this.endpoint = Uri.parse(
      redirectEndpoint.startsWith('/') ? `${scheme}://${authority}${redirectEndpoint}` : redirectEndpoint,
    )
  }

  get logger(): Logger {
    return this.settings.logger
  }
}

/** Errors of the access manager that are not about this user (RFC 6749 section 4.1.2.1). */
const UNAVAILABLE = new Set(['server_error', 'temporarily_unavailable'])

/** A login that failed. */
interface LoginFailure {
  readonly error: string
  readonly description: string
  /** Reason of the decision, where the description has data of the request. */
  readonly reason?: string
  /** URL of a new login. */
  readonly again?: string
}

/** Response to a login that failed. */
export function failedLogin(
  { exchange, settings, endpoint }: CrossDomainRequest,
  { error, description, reason = description, again = '/' }: LoginFailure,
): Response | Promise<Response> {
  const { failureHandler, logger } = settings
  const fields = { reason: error, description, ...exchange.ids }
  logger.limited(fields.transactionId).warn(fields, EVENTS.CROSS_DOMAIN_LOGIN_FAILED)
  const isUnavailable = UNAVAILABLE.has(error)
  const record = isUnavailable ? recordFailed : recordDenied
  record(exchange, logger, reason)
  const failure: CdssoFailure = { error, description, redirectUri: endpoint.toString(), cause: null }
  if (failureHandler !== null) return failureHandler(exchange.with(CdssoFailureContext, failure))
  return loginFailurePage(exchange, { status: isUnavailable ? 503 : 403, error, again })
}
