import {
  AccessManagerError,
  AmServiceKind,
  FilterKind,
  LoginWayContext,
  passes,
  type SsoToken,
  SsoTokenContext,
} from '#contracts'
import { type Exchange, type Filter, type Handler, type Response, respond } from '#http'
import {
  type Condition,
  condition,
  config,
  defineType,
  type Environment,
  type Runtime,
  ref,
  runtime,
  string,
} from '#schema'
import { endSession, forgetCookie, landing } from '../../lib/sso/am-logout.ts'
import { notNavigable } from '../../lib/sso/login-required.ts'
import { type RedirectionMarker, redirectionMarker, redirectionMarkerField } from '../../lib/sso/redirection-marker.ts'
import { amLogin } from './am-login.ts'

/** Lets users through who have a session at the access manager, and sends others to log in. */
export const SingleSignOnFilter = defineType({
  name: 'SingleSignOnFilter',
  kind: FilterKind,
  summary: 'Demands a session at the access manager, whose cookie the gateway can see, and sends others to log in.',
  config: {
    amService: ref(AmServiceKind).meta({ description: 'The access manager that users log in at.' }),
    authenticationService: config(string({ nonEmpty: true }))
      .optional()
      .meta({
        description: 'Journey or service that users log in with; the default one of the realm if it is left out.',
      }),
    redirectionMarker: redirectionMarkerField(),
    loginEndpoint: runtime('string').optional().meta({
      description:
        'URL of the login page; by default the access manager itself. `goto` and `realm` are added where it has none.',
    }),
    logoutExpression: condition().optional().meta({ description: 'Requests for which it is true end the session.' }),
    defaultLogoutLandingPage: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Where a logout leads to; without it the request goes on without a session.' }),
  },
  renamed: { logoutEndpoint: 'logoutExpression' },
  create: (config, env) =>
    singleSignOn({ ...config, marker: redirectionMarker(config.redirectionMarker, env.clock) }, env),
})

interface Settings {
  readonly amService: import('#contracts').AmService
  readonly authenticationService?: string | undefined
  readonly loginEndpoint?: Runtime<string> | undefined
  readonly logoutExpression?: Condition | undefined
  readonly defaultLogoutLandingPage?: string | undefined
  readonly marker: RedirectionMarker
}

/** A session token is sent on to the access manager in a header: what can not stand there is none. */
const TOKEN = /^[\x21-\x7e]{1,8192}$/

function singleSignOn(settings: Settings, { logger }: Environment): Filter {
  const { amService, marker } = settings

  const loginPage = async (exchange: Exchange): Promise<string> => {
    const configured = settings.loginEndpoint === undefined ? null : await settings.loginEndpoint(exchange)
    return configured ?? `${amService.url}/`
  }

  const loggedOut = async (exchange: Exchange, next: Handler, cookieName: string, token: string | null) => {
    if (token !== null) await endSession(amService, token, exchange, logger)
    const { defaultLogoutLandingPage: page } = settings
    const response = page === undefined ? await next(exchange) : landing(page)
    return forgetCookie(amService, response, exchange, cookieName)
  }

  const admitted = async (exchange: Exchange, next: Handler): Promise<Response> => {
    const cookieName = await amService.cookieName()
    const came = marker.take(exchange.request.uri)
    const token = tokenIn(exchange, cookieName)
    const { logoutExpression } = settings
    if (logoutExpression !== undefined && (await passes(logoutExpression, exchange, null, logger)))
      return loggedOut(exchange, next, cookieName, token)
    const endpoint = await loginPage(exchange)
    const way = amLogin({
      endpoint,
      realm: amService.realm,
      service: settings.authenticationService ?? null,
      marker,
      dialect: () => amService.dialect(),
    })
    const session = token === null ? null : await amService.sessions.find(token)
    if (token === null || session === null) {
      if (came) return endless(cookieName)
      const refusal = notNavigable(exchange.request, endpoint)
      if (refusal !== null) return refusal
      return way.begin(302, marker.mark(exchange.originalUri))
    }
    const cleared = marker.cleared(exchange)
    if (cleared !== null) return cleared
    const sso: SsoToken = {
      value: token,
      info: { ...session.info, ...session.properties, username: session.username, realm: session.realm },
      loginEndpoint: endpoint,
      universalId: session.universalId,
    }
    return next(exchange.with(SsoTokenContext, sso).with(LoginWayContext, way))
  }

  return async (exchange, next) => {
    try {
      return await admitted(exchange, next)
    } catch (error) {
      if (!(error instanceof AccessManagerError)) throw error
      const fields = { error, transactionId: exchange.transactionId.value }
      logger.limited().error(fields, 'session lookup failed: requests of this route get 503')
      return respond(503, { 'Retry-After': '5', 'Cache-Control': 'no-store' })
    }
  }
}

function tokenIn(exchange: Exchange, cookieName: string): string | null {
  const cookies = exchange.request.cookies[cookieName] ?? []
  return cookies.find(({ value }) => TOKEN.test(value))?.value ?? null
}

/** The user has logged in, and the session did not arrive: to send them again would never end. */
function endless(cookieName: string): Response {
  const text = `You have logged in, but no valid session arrived here: the cookie ${cookieName} was not sent, the session has ended, or it is of another realm. The cookie may be set for another domain.\n`
  return respond(403, {}, text)
}
