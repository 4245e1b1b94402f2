import { type ClientRegistration, OAuth2FailureContext, SessionUnavailableError } from '#contracts'
import { type Handler, type Response, respond, respondUnavailable, Uri } from '#http'
import { OpenIdError } from '#openid'
import { recordDenied, recordFailed } from '../../lib/audit/decisions.ts'
import { loginFailurePage } from '../../lib/login/login-failure-page.ts'
import { notNavigable } from '../../lib/login/login-required.ts'
import { dropContent } from '../../lib/sessions/application-content.ts'
import { flow } from '../lib/flow.ts'
import { EVENTS } from '../log-events.ts'
import { backChannelLogout } from './back-channel-logout.ts'
import { beginChosenLogin, loginHere } from './begin-login.ts'
import { isCallback } from './callback-path.ts'
import {
  isExpired,
  isStepUpDemanded,
  isTokenRejected,
  passWithTokens,
  refreshTokens,
  retryRefreshed,
  stepUp,
  TokensEndedError,
} from './logged-in.ts'
import { handleCallback } from './login-callback.ts'
import { statusOf } from './login-failure.ts'
import { isRevoked, loginIdentity } from './login-identity.ts'
import type { LoginRequest } from './login-request.ts'
import { claimsOf } from './login-session.ts'
import { logOut } from './logout.ts'
import { pendingLogins } from './pending-logins.ts'

/** Tokens that end within this time after the login would do so after the next login too: a loop. */
const JUST_LOGGED_IN = 2_000

const withoutLogin = flow<LoginRequest>([
  { name: 'pass the request on without user', when: ({ settings }) => !settings.requireLogin, answer: passAnonymous },
  { name: 'refuse requests that are no navigation', when: hasChoice, check: refuseSubresource },
  { name: 'let the login handler answer', when: hasChoice, answer: callLoginHandler },
  { name: 'begin a login', answer: loginAtOnly },
])

const withLogin = flow<LoginRequest>(
  [
    { name: 'refresh an expired access token', when: isExpired, prepare: refreshTokens },
    { name: 'pass the request on with its tokens', prepare: passWithTokens },
    { name: 'log in again as the application demands', when: isStepUpDemanded, answer: stepUp },
    { name: 'retry with a refreshed access token', when: isTokenRejected, check: retryRefreshed },
    { name: 'return the response', answer: ({ response }) => response as Response },
  ],
  [{ name: 'tokens ended', of: TokensEndedError, answer: forgetTokens }],
)

/** Logs users in at an authorization server, and serves the endpoints below the client endpoint. */
export const loginFlow = flow<LoginRequest>(
  [
    { name: 'refuse plain HTTP', when: isRefusedScheme, answer: refusePlainHttp },
    { name: 'evaluate the client endpoint', prepare: evaluateEndpoint },
    { name: 'begin the chosen login', when: isAt('login'), answer: beginChosenLogin },
    { name: 'handle the authorization response', when: isAtCallback, answer: handleCallback(failLogin) },
    { name: 'log out', when: isAt('logout'), answer: logOut },
    { name: 'accept a logout token', when: isAt('backchannel-logout'), answer: acceptLogoutToken },
    { name: 'read the tokens of the session', prepare: readTokens },
    { name: 'handle a request without login', when: hasNoTokens, answer: withoutLogin },
    { name: 'forget a login that its provider ended', when: isEndedByProvider, answer: forgetLogin },
    { name: 'log in again for the required class', when: hasOtherClass, answer: loginAgain },
    { name: 'handle a request with login', answer: withLogin },
  ],
  [
    { name: 'login failed', of: OpenIdError, when: (_, { endpoint }) => endpoint !== '', answer: failLogin },
    { name: 'revocations unavailable', of: SessionUnavailableError, answer: refuseUnavailable },
  ],
)

function isRefusedScheme({ exchange, settings }: LoginRequest): boolean {
  return settings.requireHttps && exchange.originalUri.scheme !== 'https'
}

function refusePlainHttp(): Response {
  return respond(403, {}, 'This page is available over HTTPS only.\n')
}

async function evaluateEndpoint(state: LoginRequest): Promise<void> {
  const { exchange, settings } = state
  const text = await settings.clientEndpoint(exchange)
  if (text === null || text === '')
    throw new Error('the expression of clientEndpoint evaluates to null or an empty text')
  const site = exchange.originalUri
  const uri = Uri.parse(text.startsWith('/') ? `${site.scheme}://${site.authority}${text}` : text)
  const path = uri.rawPath.replace(/\/+$/, '')
  state.endpoint = `${uri.scheme}://${uri.authority}${path}`
  state.action = site.rawPath.startsWith(`${path}/`) ? site.rawPath.slice(path.length + 1) : ''
}

function isAt(action: string): (state: LoginRequest) => boolean {
  return (state) => state.action === action
}

function isAtCallback({ action }: LoginRequest): boolean {
  return isCallback(action)
}

function acceptLogoutToken({ exchange, settings }: LoginRequest): Promise<Response> {
  return backChannelLogout(exchange, settings)
}

function readTokens(state: LoginRequest): void {
  const { tokens } = state.loginSession
  if (tokens === null) return
  const registration = state.settings.registrationByKey.get(tokens.registration)
  if (registration === undefined) return
  state.tokens = tokens
  state.registration = registration
  state.identity = tokens.login ?? loginIdentity(claimsOf(tokens), registration.clientId, null)
}

function hasNoTokens({ tokens }: LoginRequest): boolean {
  return tokens === null
}

function passAnonymous({ exchange, next }: LoginRequest): Promise<Response> {
  pendingLogins.strip(exchange)
  return next(exchange)
}

function hasChoice({ settings }: LoginRequest): boolean {
  return settings.registrations.length !== 1
}

function refuseSubresource({ exchange, endpoint }: LoginRequest): Response | null {
  return notNavigable(exchange.request, `${endpoint}/login`)
}

function callLoginHandler({ exchange, settings }: LoginRequest): Promise<Response> {
  return (settings.loginHandler as Handler)(exchange)
}

function loginAtOnly(state: LoginRequest): Promise<Response> {
  return loginHere(state, state.settings.registrations[0] as ClientRegistration)
}

function isEndedByProvider({ exchange, settings, loginSession, identity }: LoginRequest): Promise<boolean> {
  return isRevoked(exchange, loginSession, identity, settings.clock.now())
}

function forgetLogin(state: LoginRequest): Promise<Response> {
  state.logger.debug(state.exchange.ids, 'session ended by its provider')
  state.loginSession.forget()
  dropContent(state.exchange.session)
  return withoutLogin(state)
}

function hasOtherClass({ settings: { acrValues }, tokens }: LoginRequest): boolean {
  return acrValues.length > 0 && !acrValues.includes(tokens?.acr ?? '')
}

function loginAgain(state: LoginRequest): Promise<Response> {
  return loginHere(state, state.registration as ClientRegistration)
}

function forgetTokens(error: TokensEndedError, state: LoginRequest): Promise<Response> {
  const { settings, loginSession, tokens } = state
  settings.logger.limited(error.message).info({ reason: error.message }, 'tokens ended: the user has to log in again')
  loginSession.forget()
  if (settings.clock.now() - (tokens?.loggedInAt ?? 0) < JUST_LOGGED_IN)
    throw new OpenIdError('invalid_token', `tokens ended right after they had been issued: ${error.message}`, false)
  return withoutLogin(state)
}

async function failLogin(error: OpenIdError, { exchange, settings, endpoint }: LoginRequest): Promise<Response> {
  const { failureHandler, registrations, defaultLoginGoto, logger } = settings
  const { ids } = exchange
  logger.limited(ids.transactionId).warn({ error, ...ids }, EVENTS.LOGIN_FAILED)
  // The login has failed whatever the status is: that of a failure handler may be the status of a server.
  const record = error.unavailable ? recordFailed : recordDenied
  record(exchange, logger, 'login failed')
  const failure = { error: error.error, description: error.description, exception: { message: error.message } }
  if (failureHandler !== null) return failureHandler(exchange.with(OAuth2FailureContext, failure))
  // With several registrations `login` needs parameters.
  const again = registrations.length === 1 ? `${endpoint}/login` : (defaultLoginGoto ?? '/')
  return loginFailurePage(exchange, { status: statusOf(error), error: error.error, again })
}

/** Fails closed and keeps the login: it is unknown whether its provider has ended it. */
function refuseUnavailable(error: SessionUnavailableError, { exchange, logger }: LoginRequest): Response {
  logger.limited(error).error({ error, ...exchange.ids }, EVENTS.REVOCATIONS_UNAVAILABLE)
  return respondUnavailable()
}
