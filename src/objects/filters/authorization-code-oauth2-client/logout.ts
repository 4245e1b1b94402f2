import type { ClientRegistration } from '#contracts'
import { type Exchange, equalsConstantTime, pageResponse, type Response } from '#http'
import { OpenIdError } from '#openid'
import { isFromOtherSite } from '../../lib/browser/own-page.ts'
import { loginLoops } from '../../lib/login/login-loops.ts'
import { dropContent } from '../../lib/sessions/application-content.ts'
import { EVENTS } from '../log-events.ts'
import { gotoIn, queryOf, redirect, siteOf } from './begin-login.ts'
import type { LoginRequest, LoginSettings } from './login-request.ts'
import { claimsOf, type SessionTokens } from './login-session.ts'
import { clientOf } from './registered-client.ts'

/**
 * `logout?goto=<target>`: removes the tokens, and the user's sessions at applications, from the session, and revokes the tokens at the
 * server if configured. Another site can not log users out: a page asks them.
 */
export async function logOut(request: LoginRequest): Promise<Response> {
  const { tokens } = request.loginSession
  if (tokens !== null && isFromOtherSite(request.exchange) && !isOfProvider(request.exchange, tokens))
    return confirmation(request)
  const response = await endLogin(request)
  loginLoops.reset(response, request.exchange, request.endpoint)
  return response
}

/**
 * Whether the provider of a login loads the endpoint in a frame (OpenID Connect Front-Channel Logout 1.0 section 3): it knows the
 * session, or the frame is in a page of its origin.
 */
function isOfProvider(exchange: Exchange, tokens: SessionTokens): boolean {
  const { iss, sid } = claimsOf(tokens) ?? {}
  const query = queryOf(exchange)
  const named = query.get('sid')
  if (named !== null)
    return typeof sid === 'string' && equalsConstantTime(named, sid) && (query.get('iss') ?? iss) === iss
  const page = exchange.request.headers.get('referer') ?? ''
  return (
    typeof iss === 'string' && URL.canParse(iss) && URL.canParse(page) && new URL(page).origin === new URL(iss).origin
  )
}

function confirmation({ exchange }: LoginRequest): Response {
  const goto = gotoIn(queryOf(exchange), exchange)
  const href = goto === null ? 'logout' : `logout?${new URLSearchParams({ goto })}`
  const text = 'A page of another site led you here.'
  return pageResponse(200, { title: 'Do you want to log out?', text, link: { href, label: 'Log out' } })
}

async function endLogin(request: LoginRequest): Promise<Response> {
  const { exchange, settings, loginSession } = request
  const { tokens } = loginSession
  loginSession.forget()
  dropContent(exchange.session)
  const goto = gotoIn(queryOf(exchange), exchange) ?? settings.defaultLogoutGoto
  const registration = settings.registrationByKey.get(tokens?.registration ?? '')
  if (tokens === null || registration === undefined) return loggedOut(settings, goto)
  const token = tokens.refreshToken ?? tokens.accessToken
  if (settings.revokeOnLogout && token !== null) await revoke(registration, token, request)
  const endSession = settings.endSessionOnLogout ? await endSessionEndpoint(registration, request) : null
  if (endSession === UNKNOWN) return loggedOutHere(settings)
  if (typeof endSession !== 'string') return loggedOut(settings, goto)
  const url = new URL(endSession)
  if (tokens.idToken !== null) url.searchParams.set('id_token_hint', tokens.idToken)
  url.searchParams.set('client_id', registration.clientId)
  // Servers compare it with a registered absolute URL.
  if (goto !== null) url.searchParams.set('post_logout_redirect_uri', new URL(goto, siteOf(exchange)).href)
  return redirect(url.href)
}

/** The endpoint is not known while the metadata of the server can not be read: its session goes on. */
const UNKNOWN = Symbol('unknown')

async function endSessionEndpoint({ issuer }: ClientRegistration, { logger }: LoginRequest): Promise<unknown> {
  try {
    return (await issuer.metadata())['end_session_endpoint']
  } catch (error) {
    if (!(error instanceof OpenIdError)) throw error
    logger.limited(error.message).warn({ error }, EVENTS.SESSION_NOT_ENDED)
    return UNKNOWN
  }
}

/** A failure is logged only: the browser must still reach the end-session endpoint. */
async function revoke(registration: ClientRegistration, token: string, request: LoginRequest): Promise<void> {
  try {
    await (await clientOf(registration, request.settings.clock)).revoke(token, request.exchange)
  } catch (error) {
    if (!(error instanceof OpenIdError)) throw error
    request.logger.limited(error.message).warn({ error }, EVENTS.TOKENS_NOT_REVOKED)
  }
}

function loggedOut(settings: LoginSettings, goto: string | null): Response {
  if (goto !== null) return redirect(goto)
  const text = 'If other people use this browser, close it.'
  return pageResponse(200, { title: 'You are logged out', text, link: loginLink(settings) })
}

/** Not the target of the logout: the user may still be logged in at the provider, and has to know. */
function loggedOutHere(settings: LoginSettings): Response {
  const text =
    'The login server does not respond: you may still be logged in there. Log out there too, or close the browser.'
  return pageResponse(503, { title: 'You are logged out of this site only', text, link: loginLink(settings) })
}

function loginLink({ registrations, defaultLoginGoto }: LoginSettings): { href: string; label: string } {
  // Relative to `logout`; one registration alone needs no parameters.
  return { href: registrations.length === 1 ? 'login' : (defaultLoginGoto ?? '/'), label: 'Log in again' }
}
