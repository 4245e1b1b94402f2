import type { ClientRegistration } from '#contracts'
import type { Response } from '#http'
import { type IssuedTokens, loginSecrets, OpenIdError } from '#openid'
import { sameOriginGoto } from '../../lib/browser/same-origin-goto.ts'
import { loginLoops } from '../../lib/login/login-loops.ts'
import { returnRedirect } from '../../lib/login/return-redirect.ts'
import { flow } from '../lib/flow.ts'
import { checkAcr, maxAgeOf } from './authorization-parameters.ts'
import { beginLogin, queryOf, redirect } from './begin-login.ts'
import { checkCallback } from './callback-path.ts'
import { CallbackRequest, type OnFailure, stateIn } from './callback-request.ts'
import { LoginRequestError } from './login-failure.ts'
import type { LoginRequest } from './login-request.ts'
import type { PendingLogin } from './login-session.ts'
import { pendingLogins } from './pending-logins.ts'
import { postedResponse } from './posted-response.ts'
import { responseCookies } from './posted-response-cookies.ts'
import { clientOf, verifySignature } from './registered-client.ts'

/** Exchanges the code for tokens, validates and stores them. */
const completion = flow<CallbackRequest>(
  [
    { name: 'exchange the code', prepare: exchangeCode },
    { name: 'verify the signature of the ID token', when: hasIdToken, prepare: verifyIdToken },
    { name: 'check the class of the login', prepare: checkClass },
    { name: 'renew the session id', prepare: ({ exchange }) => exchange.session.renew?.() },
    { name: 'keep the tokens in the session', prepare: keepTokens },
    { name: 'redirect to the target', answer: redirectToTarget },
  ],
  [{ name: 'allow a retry', of: OpenIdError, when: (error: OpenIdError) => error.unavailable, answer: releaseState }],
)

const authorizationResponse = flow<CallbackRequest>(
  [
    { name: 'find the login of this browser', prepare: findLogin },
    { name: 'refuse a response at the callback of another registration', prepare: checkCallback },
    { name: 'refuse an unknown or used state', when: isUnknownOrUsed, answer: refuseState },
    { name: 'begin again what the server says has expired', when: hasExpired, answer: beginAgain },
    { name: 'complete the login', answer: completion },
  ],
  [{ name: 'login failed', of: OpenIdError, answer: fail }],
)

const callback = flow<CallbackRequest>([
  {
    name: 'accept a posted response',
    when: ({ exchange }) => exchange.request.method === 'POST',
    answer: postedResponse,
  },
  { name: 'read the parameters', prepare: readParameters },
  { name: 'handle the response and remove its cookies', answer: handleOnce },
])

/** `callback` below the client endpoint: the response of the authorization server, by query, form or JWT. */
export function handleCallback(onFailure: OnFailure): (request: LoginRequest) => Promise<Response> {
  return (request) => callback(new CallbackRequest(request, onFailure))
}

async function readParameters(state: CallbackRequest): Promise<void> {
  const query = queryOf(state.exchange)
  state.key = await stateIn(query, state.settings)
  const isInQuery = query.has('code') || query.has('error')
  state.parameters = isInQuery ? query : (responseCookies.find(state.exchange, state.key) ?? query)
}

async function handleOnce(state: CallbackRequest): Promise<Response> {
  const response = await authorizationResponse(state)
  if (!state.isComplete) return response
  const { exchange, loginSession, key, settings } = state
  loginSession.end(key)
  pendingLogins.delete(response, exchange, key, settings.clock.now())
  responseCookies.forget(response, exchange, key)
  return response
}

function findLogin(state: CallbackRequest): void {
  const { loginSession, key, settings } = state
  state.login = loginSession.find(key) ?? loginInCookie(state)
  state.registration = settings.registrationByKey.get(state.login?.registration ?? '') ?? null
}

function loginInCookie({ exchange, key, settings }: CallbackRequest): PendingLogin | null {
  const login = pendingLogins.find(exchange, key, settings.clock.now())
  if (login === null || login.goto === settings.defaultLoginGoto) return login
  const goto = sameOriginGoto(login.goto, exchange.originalUri)
  return goto === null ? null : { ...login, goto }
}

async function isUnknownOrUsed({ login, registration, key, settings }: CallbackRequest): Promise<boolean> {
  return login === null || registration === null || !(await settings.usedStates.use(key))
}

/** Back button, reload, or an expired login: a user who is logged in is redirected to the page of the last login. */
function refuseState({ loginSession, settings }: CallbackRequest): Response {
  const { tokens } = loginSession
  if (tokens !== null && settings.registrationByKey.has(tokens.registration))
    return redirect(loginSession.page ?? settings.defaultLoginGoto ?? '/')
  throw new LoginRequestError('no login with that state was begun in this browser, or it is over')
}

/** Response of Keycloak for an expired login page. */
function hasExpired({ parameters }: CallbackRequest): boolean {
  const isTemporary = parameters.get('error') === 'temporarily_unavailable'
  return isTemporary && parameters.get('error_description') === 'authentication_expired'
}

async function beginAgain(state: CallbackRequest): Promise<Response> {
  const { login, registration } = state
  const response = await beginLogin(state, registration as ClientRegistration, (login as PendingLogin).goto)
  return counted(response, state)
}

async function exchangeCode(state: CallbackRequest): Promise<void> {
  const { exchange, endpoint, action, parameters, settings } = state
  const { secret, maxAge = null } = state.login as PendingLogin
  const registration = state.registration as ClientRegistration
  const client = await clientOf(registration, settings.clock)
  state.askedAt = settings.clock.now()
  const configured = maxAgeOf(await registration.parameters(exchange))
  const attempt = {
    secrets: loginSecrets(secret),
    redirectUri: `${endpoint}/${action}`,
    maxAge: smaller(maxAge, configured),
  }
  state.issued = await client.complete(parameters, attempt, exchange)
}

/** The cookie of a login is untrusted: its `max_age` can only be smaller than the configured one. */
function smaller(requested: number | null, configured: number | null): number | null {
  return requested === null || configured === null ? (requested ?? configured) : Math.min(requested, configured)
}

function hasIdToken({ issued }: CallbackRequest): boolean {
  return issued?.idToken != null
}

function verifyIdToken({ registration, issued }: CallbackRequest): Promise<void> {
  return verifySignature(registration as ClientRegistration, issued?.idToken as string)
}

function checkClass({ issued, login }: CallbackRequest): void {
  checkAcr(issued?.claims?.['acr'], login?.acr?.split(' ') ?? [])
}

function keepTokens({ loginSession, registration, issued, askedAt, login }: CallbackRequest): void {
  loginSession.keep(registration as ClientRegistration, issued as IssuedTokens, askedAt, null)
  loginSession.setPage((login as PendingLogin).goto)
}

function redirectToTarget(state: CallbackRequest): Response {
  const { exchange, login, key } = state
  const response = returnRedirect(
    (login as PendingLogin).goto,
    exchange.request.headers.get('sec-fetch-site') === 'cross-site',
  )
  if (exchange.session.isInCookies === true) pendingLogins.trim(response, exchange, key)
  return counted(response, state)
}

function counted(response: Response, { exchange, endpoint, settings }: CallbackRequest): Response {
  loginLoops.count(response, exchange, endpoint, settings.clock.now())
  return response
}

/** The code may be unused: a reload tries again. */
async function releaseState(error: OpenIdError, { key, settings }: CallbackRequest): Promise<never> {
  await settings.usedStates.release(key)
  throw error
}

function fail(error: OpenIdError, state: CallbackRequest): Promise<Response> {
  state.isComplete = !error.unavailable
  return state.onFailure(error, state)
}
