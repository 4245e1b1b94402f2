import { type Response, respond, Uri } from '#http'
import { reasonWithError } from '../../lib/audit/known-error.ts'
import { sameOriginGoto } from '../../lib/browser/same-origin-goto.ts'
import type { LoginRecord } from '../../lib/login/login-cookies.ts'
import { returnRedirect } from '../../lib/login/return-redirect.ts'
import { writeCookie } from '../../lib/sessions/session-cookie.ts'
import { flow } from '../lib/flow.ts'
import { type AgentToken, TokenRejected } from './agent-token.ts'
import { LOGINS } from './cross-domain-redirect.ts'
import { CrossDomainRequest, failedLogin } from './cross-domain-request.ts'

/** Bytes of a form with a token. */
const MAX_FORM = 64 * 1024
/** Maximum characters of a posted error in logs and contexts. */
const MAX_REASON = 256

/** One request to the redirect endpoint. */
class CallbackRequest extends CrossDomainRequest {
  form = new URLSearchParams()
  login: LoginRecord | null = null
  token: AgentToken | TokenRejected = new TokenRejected('not verified')
  goto: string | null = null
}

/** Completes a login that this browser began; its cookie is removed in every case. */
const completion = flow<CallbackRequest>([
  { name: 'report the error of the access manager', when: hasError, answer: reportError },
  { name: 'verify the token and its nonce', prepare: verifyToken },
  { name: 'refuse an invalid token', when: isTokenRejected, answer: refuseToken },
  { name: 'refuse a target on another site', when: hasForeignTarget, answer: refuseTarget },
  { name: 'set the cookie and redirect to the target', answer: setCookie },
])

const callback = flow<CallbackRequest>([
  { name: 'refuse methods other than POST', when: isNoPost, answer: refuseMethod },
  { name: 'read the form', prepare: readForm },
  { name: 'refuse a state without login', when: hasNoLogin, answer: refuseState },
  { name: 'complete the login', answer: completeLogin },
])

/** Handles the response of the access manager, which the browser posts to the redirect endpoint. */
export function handleCallback({ exchange, next, settings }: CrossDomainRequest): Promise<Response> {
  return callback(new CallbackRequest(exchange, next, settings))
}

function isNoPost({ exchange }: CallbackRequest): boolean {
  return exchange.request.method !== 'POST'
}

function refuseMethod(): Response {
  return respond(405, { Allow: 'POST', 'Cache-Control': 'no-store' })
}

async function readForm(state: CallbackRequest): Promise<void> {
  const { exchange, settings } = state
  const content = Buffer.from(await exchange.request.body.read(MAX_FORM)).toString('utf8')
  state.form = new URLSearchParams(content)
  state.login = LOGINS.find(exchange, state.form.get('state') ?? '', settings.now())
}

function hasNoLogin({ login }: CallbackRequest): boolean {
  return login === null
}

function refuseState(state: CallbackRequest): Response | Promise<Response> {
  const description = 'this browser has begun no login with that state'
  return failedLogin(state, { error: 'invalid_request', description })
}

async function completeLogin(state: CallbackRequest): Promise<Response> {
  const response = await completion(state)
  LOGINS.delete(response, state.exchange, state.form.get('state') ?? '')
  return response
}

function hasError({ form }: CallbackRequest): boolean {
  return form.has('error')
}

function reportError(state: CallbackRequest): Response | Promise<Response> {
  const error = state.form.get('error') ?? ''
  const refused = 'the access manager refused'
  const description = state.form.get('error_description') ?? refused
  return failedLogin(state, {
    error: error.slice(0, MAX_REASON),
    description: description.slice(0, MAX_REASON),
    reason: reasonWithError(refused, error),
    again: targetOf(state),
  })
}

async function verifyToken(state: CallbackRequest): Promise<void> {
  const { exchange, settings, form } = state
  const login = state.login as LoginRecord
  state.token = await settings.tokens.open(form.get('id_token') ?? '', String(login['nonce']))
  state.goto = sameOriginGoto(login.goto, exchange.originalUri)
}

function isTokenRejected({ token }: CallbackRequest): boolean {
  return token instanceof TokenRejected
}

function refuseToken(state: CallbackRequest): Response | Promise<Response> {
  const { reason: description } = state.token as TokenRejected
  return failedLogin(state, { error: 'invalid_token', description, again: targetOf(state) })
}

/** The URL that the login began at, which begins another: without marker, by which a loop would be detected. */
function targetOf({ exchange, login, settings }: CallbackRequest): string {
  const target = sameOriginGoto((login as LoginRecord).goto, exchange.originalUri)
  return target === null ? '/' : settings.marker.without(Uri.parse(target))
}

function hasForeignTarget({ goto }: CallbackRequest): boolean {
  return goto === null
}

function refuseTarget(state: CallbackRequest): Response | Promise<Response> {
  return failedLogin(state, { error: 'invalid_request', description: 'the login leads to another site' })
}

async function setCookie({ exchange, settings, form, goto }: CallbackRequest): Promise<Response> {
  const { cookie, amService } = settings
  const byPage = cookie.sameSite === 'STRICT'
  // OpenAM posts to a URL with the token in its fragment, which a redirect without a fragment keeps.
  const { family } = await amService.dialect()
  const response = returnRedirect(family === 'openam' && !byPage ? `${goto}#` : (goto as string), byPage)
  writeCookie(response, exchange, cookie, cookie.name, form.get('id_token') ?? '')
  return response
}
