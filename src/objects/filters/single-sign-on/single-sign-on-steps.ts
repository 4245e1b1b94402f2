import {
  AccessManagerError,
  type AmService,
  type AmSession,
  type LoginRedirect,
  LoginRedirectContext,
  matches,
  type SsoToken,
  SsoTokenContext,
} from '#contracts'
import type { Exchange, Handler, Response } from '#http'
import type { Logger } from '#logging'
import type { Condition, Runtime } from '#schema'
import { deleteCookie, endSession, redirectTo } from '../../lib/am/am-logout.ts'
import { firstSessionOf, sessionTokensOf } from '../../lib/am/session-token.ts'
import { loginFailurePage } from '../../lib/login/login-failure-page.ts'
import { notNavigable } from '../../lib/login/login-required.ts'
import type { RedirectionMarker } from '../../lib/login/redirection-marker.ts'
import { dropContent } from '../../lib/sessions/application-content.ts'
import { flow } from '../lib/flow.ts'
import { clearMarker, hasNoSession, isLoop, removeMarker, type SignOnState, unavailable } from '../lib/sign-on-steps.ts'
import { EVENTS } from '../log-events.ts'
import { amLogin } from './am-login.ts'

/** Settings of a single sign-on filter. */
interface SingleSignOnSettings {
  readonly amService: AmService
  readonly authenticationService?: string | undefined
  readonly loginEndpoint?: Runtime<string> | undefined
  readonly logoutExpression?: Condition | undefined
  readonly defaultLogoutLandingPage?: string | undefined
  readonly marker: RedirectionMarker
}

/** One request to the filter. */
export class SingleSignOnRequest implements SignOnState {
  readonly exchange: Exchange
  readonly next: Handler
  readonly settings: SingleSignOnSettings
  readonly logger: Logger
  cookieName = ''
  /** Of all session cookies of the request; that of the session is `token`. */
  tokens: readonly string[] = []
  token: string | null = null
  /** Whether the browser returns from the login page. */
  isReturn = false
  loginEndpoint = ''
  session: AmSession | null = null

  constructor(exchange: Exchange, next: Handler, settings: SingleSignOnSettings, logger: Logger) {
    this.exchange = exchange
    this.next = next
    this.settings = settings
    this.logger = logger
  }
}

/** Passes requests on that have a session at the access manager, and redirects others to its login page. */
export const singleSignOn = flow<SingleSignOnRequest>(
  [
    { name: 'read the session cookie', prepare: readCookie },
    { name: 'remove the redirection marker', prepare: removeMarker },
    { name: 'log out', when: isLogout, answer: logOut },
    { name: 'evaluate the login endpoint', prepare: evaluateLoginEndpoint },
    { name: 'look up the session', when: hasToken, prepare: findSession },
    { name: 'stop a redirect loop', when: isLoop, answer: refuseLoop },
    { name: 'refuse requests that are no navigation', when: hasNoSession, check: refuseSubresource },
    { name: 'redirect to the login page', when: hasNoSession, answer: redirectToLogin },
    { name: 'redirect to the URL without marker', check: clearMarker },
    { name: 'pass the request on with its session', answer: passOn },
  ],
  [{ name: 'access manager unavailable', of: AccessManagerError, answer: unavailable(EVENTS.SESSION_LOOKUP_FAILED) }],
)

async function readCookie(state: SingleSignOnRequest): Promise<void> {
  state.cookieName = await state.settings.amService.cookieName()
  state.tokens = sessionTokensOf(state.exchange, state.cookieName)
}

function isLogout({
  exchange,
  settings: { logoutExpression },
  logger,
}: SingleSignOnRequest): boolean | Promise<boolean> {
  return logoutExpression !== undefined && matches(logoutExpression, exchange, null, logger)
}

async function logOut({
  exchange,
  next,
  settings,
  logger,
  tokens,
  cookieName,
}: SingleSignOnRequest): Promise<Response> {
  const { amService, defaultLogoutLandingPage: page } = settings
  for (const token of tokens) await endSession(amService, token, exchange, logger)
  try {
    const response = page === undefined ? await next(exchange) : redirectTo(page)
    return await deleteCookie(amService, response, exchange, cookieName)
  } finally {
    // After the application has got the logout with its session.
    dropContent(exchange.session)
  }
}

async function evaluateLoginEndpoint(state: SingleSignOnRequest): Promise<void> {
  const { amService, loginEndpoint } = state.settings
  const configured = loginEndpoint === undefined ? null : await loginEndpoint(state.exchange)
  state.loginEndpoint = configured ?? `${amService.url}/`
}

function hasToken({ tokens }: SingleSignOnRequest): boolean {
  return tokens.length > 0
}

async function findSession(state: SingleSignOnRequest): Promise<void> {
  const found = await firstSessionOf(state.settings.amService, state.tokens)
  state.token = found?.token ?? null
  state.session = found?.session ?? null
}

function refuseLoop({ exchange, settings, cookieName }: SingleSignOnRequest): Response {
  const text = `You have logged in, but no valid session arrived here: the cookie ${cookieName} was not sent, the session has ended, or it is of another realm. The cookie may be set for another domain.`
  const again = settings.marker.without(exchange.originalUri)
  return loginFailurePage(exchange, { status: 403, text, error: 'login_required', again })
}

function refuseSubresource({ exchange, loginEndpoint }: SingleSignOnRequest): Response | null {
  return notNavigable(exchange.request, loginEndpoint)
}

function redirectToLogin(state: SingleSignOnRequest): Response | Promise<Response> {
  const { exchange, settings } = state
  return loginOf(state).begin(302, settings.marker.addTo(exchange.originalUri))
}

function passOn(state: SingleSignOnRequest): Promise<Response> {
  const { exchange, next, loginEndpoint } = state
  const session = state.session as AmSession
  const sso: SsoToken = {
    value: state.token as string,
    info: { ...session.info, ...session.properties, username: session.username, realm: session.realm },
    loginEndpoint,
    universalId: session.universalId,
  }
  return next(exchange.with(SsoTokenContext, sso).with(LoginRedirectContext, loginOf(state)))
}

function loginOf({ settings, loginEndpoint }: SingleSignOnRequest): LoginRedirect {
  const { amService, authenticationService, marker } = settings
  return amLogin({
    endpoint: loginEndpoint,
    realm: amService.realm,
    service: authenticationService ?? null,
    marker,
    dialect: () => amService.dialect(),
  })
}
