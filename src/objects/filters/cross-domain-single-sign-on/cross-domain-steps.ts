import {
  AccessManagerError,
  type AmSession,
  CdssoContext,
  ClaimsSet,
  type LoginRedirect,
  LoginRedirectContext,
  matches,
  type SsoToken,
  SsoTokenContext,
} from '#contracts'
import type { Response } from '#http'
import { OpenIdError } from '#openid'
import { endSession, redirectTo } from '../../lib/am/am-logout.ts'
import { notNavigable } from '../../lib/login/login-required.ts'
import { dropContent } from '../../lib/sessions/application-content.ts'
import { MAX_CANDIDATES } from '../../lib/sessions/nested-cookie.ts'
import { writeCookie } from '../../lib/sessions/session-cookie.ts'
import { flow } from '../lib/flow.ts'
import { clearMarker, hasNoSession, isLoop, removeMarker, unavailable } from '../lib/sign-on-steps.ts'
import { EVENTS } from '../log-events.ts'
import { TokenRejected } from './agent-token.ts'
import { handleCallback } from './cross-domain-callback.ts'
import { authorizeUrl, crossDomainRedirect, LOGINS } from './cross-domain-redirect.ts'
import { type CrossDomainRequest, failedLogin, type VerifiedToken } from './cross-domain-request.ts'

const lookupFailed = unavailable(EVENTS.CROSS_DOMAIN_LOOKUP_FAILED)

/** Logs users in by a token that the access manager issues to the gateway, as an agent, through their browser (protocol 7.2). */
export const crossDomainSingleSignOn = flow<CrossDomainRequest>(
  [
    { name: 'handle the response to a login', when: isCallback, answer: handleCallback },
    { name: 'remove the redirection marker', prepare: removeMarker },
    { name: 'verify the token of the cookie', prepare: verifyCookie },
    { name: 'log out', when: isLogout, answer: logOut },
    { name: 'look up the session', when: hasToken, prepare: findSession },
    { name: 'stop a redirect loop', when: isLoop, answer: refuseLoop },
    { name: 'refuse requests that are no navigation', when: hasNoSession, check: refuseSubresource },
    { name: 'redirect to the login page', when: hasNoSession, answer: redirectToLogin },
    { name: 'redirect to the URL without marker', check: clearMarker },
    { name: 'pass the request on with its session', answer: passOn },
  ],
  [
    { name: 'access manager unavailable', of: AccessManagerError, answer: lookupFailed },
    {
      name: 'keys unavailable',
      of: OpenIdError,
      when: (error: OpenIdError) => error.unavailable,
      answer: lookupFailed,
    },
  ],
)

function isCallback({ exchange, endpoint }: CrossDomainRequest): boolean {
  return exchange.originalUri.rawPath === endpoint.rawPath
}

async function verifyCookie(state: CrossDomainRequest): Promise<void> {
  const { cookie, tokens, logger } = state.settings
  // Another cookie of the name, of a longer path or a parent domain, comes before ours.
  for (const { value } of (state.exchange.request.cookies[cookie.name] ?? []).slice(0, MAX_CANDIDATES)) {
    const token = await tokens.open(value, null)
    if (!(token instanceof TokenRejected)) {
      state.verified = { jwt: value, token }
      return
    }
    logger.debug({ reason: token.reason }, 'token of the cookie rejected')
  }
}

function isLogout({
  exchange,
  settings: { logoutExpression, logger },
}: CrossDomainRequest): boolean | Promise<boolean> {
  return logoutExpression !== null && matches(logoutExpression, exchange, null, logger)
}

async function logOut({ exchange, next, settings, verified }: CrossDomainRequest): Promise<Response> {
  const { amService, logger, landingPage, cookie } = settings
  if (verified !== null) await endSession(amService, verified.token.sessionToken, exchange, logger)
  try {
    const response = landingPage === null ? await next(exchange) : redirectTo(landingPage)
    writeCookie(response, exchange, cookie, cookie.name, '')
    return response
  } finally {
    // After the application has got the logout with its session.
    dropContent(exchange.session)
  }
}

function hasToken({ verified }: CrossDomainRequest): boolean {
  return verified !== null
}

async function findSession(state: CrossDomainRequest): Promise<void> {
  const { token } = state.verified as VerifiedToken
  state.session = await state.settings.amService.sessions.find(token.sessionToken)
}

function refuseLoop(state: CrossDomainRequest): Response | Promise<Response> {
  const { name } = state.settings.cookie
  const description = `the login did not last: the cookie ${name} did not arrive, or the session has ended`
  const again = state.settings.marker.without(state.exchange.originalUri)
  return failedLogin(state, { error: 'login_required', description, again })
}

function refuseSubresource({ exchange, settings }: CrossDomainRequest): Response | null {
  return notNavigable(exchange.request, `${settings.amService.url}/`)
}

function redirectToLogin(state: CrossDomainRequest): Response | Promise<Response> {
  const { exchange, settings } = state
  return loginOf(state).begin(302, settings.marker.addTo(exchange.originalUri))
}

function passOn(state: CrossDomainRequest): Promise<Response> {
  const { exchange, next, settings, endpoint } = state
  const { cookie } = settings
  const { jwt, token } = state.verified as VerifiedToken
  LOGINS.strip(exchange)
  exchange.reserveCookies([cookie.name])
  const cdsso = {
    token: jwt,
    value: token.sessionToken,
    sessionUid: token.sessionUid,
    claimsSet: new ClaimsSet(token.claims),
    redirectEndpoint: endpoint.toString(),
    cookieInfo: { name: cookie.name, domain: cookie.domain ?? null, path: cookie.path },
  }
  const onward = exchange.with(CdssoContext, cdsso).with(SsoTokenContext, ssoTokenOf(state))
  return next(onward.with(LoginRedirectContext, loginOf(state)))
}

function ssoTokenOf({ settings, endpoint, session, verified }: CrossDomainRequest): SsoToken {
  const { sessionToken, sessionUid } = (verified as VerifiedToken).token
  const { info, properties, username, realm, universalId } = session as AmSession
  return {
    value: sessionToken,
    info: { ...info, ...properties, username, realm, ...(sessionUid === null ? {} : { sessionUid }) },
    loginEndpoint: authorizeUrl(endpoint, settings).toString(),
    universalId,
  }
}

function loginOf({ exchange, endpoint, settings }: CrossDomainRequest): LoginRedirect {
  return crossDomainRedirect(exchange, endpoint, settings)
}
