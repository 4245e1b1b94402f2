import { randomBytes } from 'node:crypto'
import {
  AccessManagerError,
  type AmDialect,
  type AmService,
  CdssoContext,
  type CdssoFailure,
  CdssoFailureContext,
  ClaimsSet,
  type LoginAdvice,
  type LoginWay,
  LoginWayContext,
  passes,
  SsoTokenContext,
} from '#contracts'
import { type Exchange, type Filter, type Handler, type Response, respond, Uri } from '#http'
import type { Logger } from '#logging'
import { OpenIdError } from '#openid'
import type { Condition } from '#schema'
import { sameOriginGoto } from '../../lib/goto/same-origin-goto.ts'
import { type SessionCookieSettings, writeCookie } from '../../lib/session/session-cookie.ts'
import { endSession, landing } from '../../lib/sso/am-logout.ts'
import { arrival } from '../../lib/sso/arrival.ts'
import { type BegunLogin, LoginCookies } from '../../lib/sso/login-cookies.ts'
import { loginParameters } from '../../lib/sso/login-parameters.ts'
import { notNavigable } from '../../lib/sso/login-required.ts'
import type { RedirectionMarker } from '../../lib/sso/redirection-marker.ts'
import { type AgentToken, type AgentTokens, NotTaken } from './agent-token.ts'

/** What a login over domains needs to know. */
export interface CrossDomainSettings {
  readonly amService: AmService
  readonly tokens: AgentTokens
  readonly redirectEndpoint: string
  readonly service: string | null
  readonly cookie: SessionCookieSettings
  readonly marker: RedirectionMarker
  readonly logoutExpression: Condition | null
  readonly landingPage: string | null
  readonly failureHandler: Handler | null
  readonly logger: Logger
  /** Milliseconds since the epoch. */
  now(): number
}

const LOGINS = new LoginCookies('gateway-cdsso-login', { isPosted: true })

/** A form with a token is small. */
const LARGEST_FORM = 64 * 1024
/** What a browser posts as the reason of a failure is told, but not at any length. */
const LONGEST_REASON = 256

/** Logs users in by a token that the access manager gives the gateway, as an agent, through their browser (protocol 7.2). */
export class CrossDomainLogin {
  readonly #settings: CrossDomainSettings

  constructor(settings: CrossDomainSettings) {
    this.#settings = settings
  }

  readonly filter: Filter = async (exchange, next) => {
    try {
      const endpoint = this.#endpoint(exchange)
      if (exchange.originalUri.rawPath === endpoint.rawPath) return await this.#callback(exchange, endpoint)
      return await this.#admitted(exchange, next, endpoint)
    } catch (error) {
      const isUnavailable = error instanceof AccessManagerError || (error instanceof OpenIdError && error.unavailable)
      if (!isUnavailable) throw error
      const { logger } = this.#settings
      const fields = { error, transactionId: exchange.transactionId.value }
      logger.limited().error(fields, 'session lookup failed: requests of this route get 503')
      return respond(503, { 'Retry-After': '5', 'Cache-Control': 'no-store' })
    }
  }

  async #admitted(exchange: Exchange, next: Handler, endpoint: Uri): Promise<Response> {
    const { amService, marker, logoutExpression, cookie, logger } = this.#settings
    const came = marker.take(exchange.request.uri)
    const found = await this.#tokenOf(exchange)
    if (logoutExpression !== null && (await passes(logoutExpression, exchange, null, logger)))
      return this.#loggedOut(exchange, next, found)
    const way = this.#way(exchange, endpoint)
    const session = found === null ? null : await amService.sessions.find(found.token.sessionToken)
    if (found === null || session === null) {
      const refusal = came ? null : notNavigable(exchange.request, `${amService.url}/`)
      if (refusal !== null) return refusal
      if (!came) return way.begin(302, marker.mark(exchange.originalUri))
      const description = `the login did not last: the cookie ${cookie.name} did not arrive, or the session has ended`
      return this.#failed(exchange, endpoint, 'login_required', description)
    }
    const cleared = marker.cleared(exchange)
    if (cleared !== null) return cleared
    const { jwt, token } = found
    LOGINS.strip(exchange)
    const cdsso = {
      token: jwt,
      value: token.sessionToken,
      sessionUid: token.sessionUid,
      claimsSet: new ClaimsSet(token.claims),
      redirectEndpoint: endpoint.toString(),
      cookieInfo: { name: cookie.name, domain: cookie.domain ?? null, path: cookie.path },
    }
    const sso = {
      value: token.sessionToken,
      info: {
        ...session.info,
        ...session.properties,
        username: session.username,
        realm: session.realm,
        ...(token.sessionUid === null ? {} : { sessionUid: token.sessionUid }),
      },
      loginEndpoint: this.#authorizeUri(endpoint).toString(),
      universalId: session.universalId,
    }
    return next(exchange.with(CdssoContext, cdsso).with(SsoTokenContext, sso).with(LoginWayContext, way))
  }

  /** The answer of the access manager, which the browser posts. */
  async #callback(exchange: Exchange, endpoint: Uri): Promise<Response> {
    if (exchange.request.method !== 'POST') return respond(405, { Allow: 'POST', 'Cache-Control': 'no-store' })
    const form = new URLSearchParams(Buffer.from(await exchange.request.body.read(LARGEST_FORM)).toString('utf8'))
    const state = form.get('state') ?? ''
    const login = LOGINS.recall(exchange, state, this.#settings.now())
    if (login === null)
      return this.#failed(exchange, endpoint, 'invalid_request', 'this browser has begun no login with that state')
    const response = await this.#completed(exchange, endpoint, form, login)
    LOGINS.forget(response, exchange, state)
    return response
  }

  async #completed(exchange: Exchange, endpoint: Uri, form: URLSearchParams, login: BegunLogin): Promise<Response> {
    const error = form.get('error')
    if (error !== null) {
      const description = form.get('error_description') ?? 'the access manager refused'
      return this.#failed(exchange, endpoint, error.slice(0, LONGEST_REASON), description.slice(0, LONGEST_REASON))
    }
    const jwt = form.get('id_token') ?? ''
    const token = await this.#settings.tokens.open(jwt, String(login['nonce']))
    if (token instanceof NotTaken) return this.#failed(exchange, endpoint, 'invalid_token', token.reason)
    const goto = sameOriginGoto(login.goto, exchange.originalUri)
    if (goto === null) return this.#failed(exchange, endpoint, 'invalid_request', 'the login leads to another site')
    const { cookie, amService } = this.#settings
    const byPage = cookie.sameSite === 'STRICT'
    // OpenAM posts to an address with the token in its fragment, which a redirect without a fragment keeps.
    const { family } = await amService.dialect()
    const response = arrival(family === 'openam' && !byPage ? `${goto}#` : goto, byPage)
    writeCookie(response, exchange, cookie, cookie.name, jwt)
    return response
  }

  async #loggedOut(exchange: Exchange, next: Handler, found: Found | null): Promise<Response> {
    const { amService, logger, landingPage, cookie } = this.#settings
    if (found !== null) await endSession(amService, found.token.sessionToken, exchange, logger)
    const response = landingPage === null ? await next(exchange) : landing(landingPage)
    writeCookie(response, exchange, cookie, cookie.name, '')
    return response
  }

  async #tokenOf(exchange: Exchange): Promise<Found | null> {
    const { cookie, tokens, logger } = this.#settings
    const [sent] = exchange.request.cookies[cookie.name] ?? []
    if (sent === undefined) return null
    const token = await tokens.open(sent.value, null)
    if (!(token instanceof NotTaken)) return { jwt: sent.value, token }
    logger.debug({ reason: token.reason }, 'a token of a cookie is not taken')
    return null
  }

  #way(exchange: Exchange, endpoint: Uri): LoginWay {
    const { amService, marker } = this.#settings
    return {
      begin: async (status, goto, advice) => {
        const dialect = await amService.dialect()
        const [state, nonce] = [random(), random()]
        const authorize = this.#authorizeUri(endpoint)
        for (const [name, value] of Object.entries({ state, nonce })) authorize.searchParams.set(name, value)
        const location = advice === undefined ? authorize : this.#advisedLogin(authorize, dialect, advice)
        const response = respond(status, { Location: location.href, 'Cache-Control': 'no-store' })
        LOGINS.remember(response, exchange, { state, nonce, goto }, this.#settings.now())
        return response
      },
      stripMarker: (uri) => void marker.take(uri),
    }
  }

  /** PingAM takes an advice along from its authorization endpoint; OpenAM does not, so the login page comes first there. */
  #advisedLogin(authorize: URL, dialect: AmDialect, advice: LoginAdvice): URL {
    const { amService } = this.#settings
    const isOpenAm = dialect.family === 'openam'
    const location = isOpenAm ? new URL(`${amService.url}/`) : authorize
    const page = isOpenAm ? { goto: authorize.href, realm: amService.realm } : {}
    for (const [name, value] of Object.entries({ ...page, ...loginParameters(dialect, null, advice) }))
      location.searchParams.set(name, value)
    return location
  }

  #authorizeUri(endpoint: Uri): URL {
    const { amService, service } = this.#settings
    const location = new URL(amService.oauth2Uri('authorize').toString())
    const asked = {
      client_id: amService.agent,
      response_type: 'id_token',
      scope: 'openid',
      response_mode: 'form_post',
      redirect_uri: endpoint.toString(),
      agent_provider: 'true',
      agent_realm: amService.realm,
      ...(service === null ? {} : { service }),
    }
    for (const [name, value] of Object.entries(asked)) location.searchParams.set(name, value)
    return location
  }

  #endpoint({ originalUri: { scheme, authority } }: Exchange): Uri {
    const { redirectEndpoint } = this.#settings
    return Uri.parse(
      redirectEndpoint.startsWith('/') ? `${scheme}://${authority}${redirectEndpoint}` : redirectEndpoint,
    )
  }

  async #failed(exchange: Exchange, endpoint: Uri, error: string, description: string): Promise<Response> {
    const { failureHandler, logger } = this.#settings
    const fields = { reason: error, description, transactionId: exchange.transactionId.value }
    logger.limited(fields.transactionId).warn(fields, 'a login failed')
    const failure: CdssoFailure = { error, description, redirectUri: endpoint.toString(), cause: null }
    if (failureHandler !== null) return failureHandler(exchange.with(CdssoFailureContext, failure))
    return respond(403)
  }
}

interface Found {
  readonly jwt: string
  readonly token: AgentToken
}

function random(): string {
  return randomBytes(24).toString('base64url')
}
