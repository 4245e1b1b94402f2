import { type ClientRegistration, markLoginRedirect } from '#contracts'
import { type Exchange, type Response, respond } from '#http'
import { loginSecrets, newLoginSecret, OpenIdError } from '#openid'
import { sameOriginGoto } from '../../lib/browser/same-origin-goto.ts'
import { loginLoops } from '../../lib/login/login-loops.ts'
import { loginRequired } from '../../lib/login/login-required.ts'
import { authorizationParameters, maxAgeOf } from './authorization-parameters.ts'
import { callbackOf } from './callback-path.ts'
import { LoginRequestError } from './login-failure.ts'
import type { LoginRequest, LoginSettings } from './login-request.ts'
import { registrationKey } from './login-session.ts'
import { pendingLogins } from './pending-logins.ts'
import { clientOf } from './registered-client.ts'
import type { LoginDemand } from './step-up.ts'

interface BeginOptions {
  /** Query of `login`. */
  readonly passed?: URLSearchParams | null
  /** Replaces `acrValues` of the filter. */
  readonly demand?: LoginDemand
}

/** Redirects the browser to the authorization server; the login ends at `goto`. */
export async function beginLogin(
  { exchange, settings, endpoint, loginSession }: LoginRequest,
  registration: ClientRegistration,
  goto: string,
  { passed = null, demand = { acrValues: settings.acrValues, maxAge: null } }: BeginOptions = {},
): Promise<Response> {
  const { clock, prompt } = settings
  const now = clock.now()
  if (loginLoops.isLooping(exchange, endpoint, now)) {
    const description = 'two logins within 10 seconds did not last: is the session kept, and does its cookie arrive?'
    throw new OpenIdError('server_error', description, false)
  }
  const client = await clientOf(registration, clock)
  const extra = await authorizationParameters({ registration, prompt, passed, demand }, exchange)
  const maxAge = maxAgeOf(extra)
  const secret = newLoginSecret()
  const secrets = loginSecrets(secret)
  const callback = `${endpoint}/${await callbackOf(registration, settings.registrations)}`
  const location = await client.authorizeUrl(secrets, callback, extra, exchange)
  const login = {
    secret,
    registration: registrationKey(registration),
    goto,
    ...(maxAge !== null && { maxAge }),
    ...(demand.acrValues.length > 0 && { acr: demand.acrValues.join(' ') }),
  }
  const response = markLoginRedirect(redirect(location))
  // A callback at another host of the domain gets the session, but not the host cookie of a login.
  if (new URL(endpoint).origin === siteOf(exchange))
    pendingLogins.add(response, exchange, registration, secrets.state, login, now)
  else loginSession.begin(secrets.state, login)
  return response
}

/** Begins a login that ends at the URL of the request, or rejects a request that is no navigation. */
export async function loginHere(
  request: LoginRequest,
  registration: ClientRegistration,
  demand?: LoginDemand,
): Promise<Response> {
  const { exchange, endpoint } = request
  const refusal = loginRequired(exchange, `${endpoint}/login`)
  if (refusal !== null) return refusal
  const here = sameOriginGoto(exchange.originalUri.toString(), exchange.originalUri) ?? '/'
  return beginLogin(request, registration, here, demand === undefined ? {} : { demand })
}

/**
 * `login?registration=<clientId>&issuer=<issuer name>&goto=<target>`, or with `discovery=<mail address>`, and the parameters
 * that the registration passes on.
 */
export async function beginChosenLogin(request: LoginRequest): Promise<Response> {
  const { exchange, settings } = request
  const passed = queryOf(exchange)
  const registration = chosenRegistration(settings, passed)
  return beginLogin(request, registration, gotoIn(passed, exchange) ?? settings.defaultLoginGoto ?? '/', { passed })
}

/**
 * The registration that a query names, or whose issuer serves the domain of a mail address. Only configured ones can be selected: the
 * gateway does not connect to servers that a user enters (threats B65).
 */
function chosenRegistration({ registrations }: LoginSettings, query: URLSearchParams): ClientRegistration {
  const discovery = query.get('discovery')
  if (discovery !== null) {
    const domain = domainOf(discovery)
    const serving = registrations.find(({ issuer }) => domain !== null && issuer.servesDomain(domain))
    if (serving !== undefined) return serving
    throw new LoginRequestError('the parameter "discovery" names no domain that is served here')
  }
  const [clientId, issuer] = [query.get('registration'), query.get('issuer')]
  const [registration, ...others] = registrations.filter(
    (each) => (clientId === null || each.clientId === clientId) && (issuer === null || each.issuer.name === issuer),
  )
  if (registration !== undefined && others.length === 0) return registration
  throw new LoginRequestError('the parameters "registration" and "issuer" name no client')
}

/** The parameter `goto`; null where the query has none. */
export function gotoIn(query: URLSearchParams, exchange: Exchange): string | null {
  const text = query.get('goto')
  if (text === null) return null
  const goto = sameOriginGoto(text, exchange.originalUri)
  if (goto !== null) return goto
  throw new LoginRequestError('the parameter "goto" leads to another site')
}

/** A redirect that is not cached, since it is valid for one browser and once. */
export function redirect(location: string): Response {
  return respond(302, { Location: location, 'Cache-Control': 'no-store' })
}

/** The query of a request. */
export function queryOf(exchange: Exchange): URLSearchParams {
  return new URLSearchParams(exchange.request.uri.rawQuery ?? '')
}

/** Scheme and authority of a request. */
export function siteOf({ originalUri: { scheme, authority } }: Exchange): string {
  return `${scheme}://${authority}`
}

/** The domain of a mail address, of a URL, or of a bare name; null for other text. */
function domainOf(text: string): string | null {
  const name =
    text.includes('://') && URL.canParse(text) ? new URL(text).hostname : text.slice(text.lastIndexOf('@') + 1)
  return /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i.test(name) ? name.toLowerCase() : null
}
