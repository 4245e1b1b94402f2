import {
  type ClientRegistration,
  ClientRegistrationKind,
  FilterKind,
  HandlerKind,
  OAuth2FailureContext,
  SessionUnavailableError,
} from '#contracts'
import { type Exchange, type Filter, type Handler, type Response, respond, Uri } from '#http'
import { OpenIdError } from '#openid'
import {
  type Assign,
  boolean,
  config,
  defineType,
  duration,
  type Environment,
  json,
  leftValue,
  list,
  oneOf,
  type Runtime,
  ref,
  runtime,
  secretId,
  string,
} from '#schema'
import { sameOriginGoto } from '../../lib/goto/same-origin-goto.ts'
import { LOGIN_LIFETIME } from '../../lib/sso/login-cookies.ts'
import { isNavigation, loginRequired } from '../../lib/sso/login-required.ts'
import { loginRounds } from '../../lib/sso/login-rounds.ts'
import { UsedStates } from '../../lib/sso/used-states.ts'
import { backChannelLogout } from './back-channel-logout.ts'
import { begunLogins } from './begun-logins.ts'
import { type LoggedInSettings, passLoggedIn, TokensEndedError } from './logged-in.ts'
import { LoginCallback } from './login-callback.ts'
import { failurePage } from './login-failure.ts'
import { LoginFlow, type LoginSettings } from './login-flow.ts'
import { endWithLogin, isRevoked, loginIdentity } from './login-identity.ts'
import { claimsOf, LoginMemory, registrationKey } from './login-memory.ts'
import { SharedRefresh } from './shared-refresh.ts'
import { type LoginDemand, StepUpRequiredError } from './step-up.ts'
import { UserInfo } from './user-info.ts'

/** Tokens that end within this time after the login will do so after the next one, too. */
const JUST_LOGGED_IN = 2_000
const BY_HAND = 'clients are registered by hand: name them in registrations'

/** Logs users in at an authorization server. */
export const AuthorizationCodeOAuth2ClientFilter = defineType({
  name: 'AuthorizationCodeOAuth2ClientFilter',
  aliases: ['OAuth2ClientFilter'],
  kind: FilterKind,
  summary: 'Logs users in with OAuth 2.0 or OpenID Connect before their requests go on.',
  config: {
    clientEndpoint: runtime('string').meta({
      description: 'Path or URL of the gateway below which `login`, `callback`, `logout` and `backchannel-logout` lie.',
    }),
    registrations: list(ref(ClientRegistrationKind))
      .prefault([])
      .meta({ description: 'The clients that the gateway is registered as.' }),
    loginHandler: ref(HandlerKind).optional().meta({
      description: 'Answers requests without login, where there is not exactly one registration to log in with.',
    }),
    failureHandler: ref(HandlerKind).optional().meta({
      description:
        'Answers where a login fails, with `contexts.oauth2Failure`; by default a page with 400, 403, 500 or 503.',
    }),
    target: leftValue().prefault('${attributes.openid}').meta({
      description: 'Where the same is put as in `contexts.oauth2Info`, for expressions of older configurations.',
    }),
    requireHttps: config(boolean())
      .prefault(true)
      .meta({ description: 'Whether requests that did not come over TLS are refused.' }),
    requireLogin: config(boolean())
      .prefault(true)
      .meta({ description: 'Whether requests without login are sent to log in; if not, they pass without user.' }),
    defaultLoginGoto: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Where to go after `login` without a parameter `goto`.' }),
    defaultLogoutGoto: config(string({ nonEmpty: true }))
      .optional()
      .meta({
        description:
          'Where to go after `logout` without a parameter `goto`; a page with a link to log in again by default.',
      }),
    revokeOauth2TokenOnLogout: config(boolean())
      .prefault(false)
      .meta({ description: 'Whether `logout` revokes the tokens.' }),
    openIdEndSessionOnLogout: config(boolean())
      .prefault(false)
      .meta({ description: 'Whether `logout` ends the session at the authorization server too.' }),
    prompt: config(oneOf(['none', 'login', 'consent', 'select_account']))
      .optional()
      .meta({ description: 'Whether the server is to ask the user again.' }),
    acrValues: list(config(string({ nonEmpty: true })))
      .prefault([])
      .meta({
        description:
          'Classes of logins (`acr` of the ID token) of which one is demanded; a user with another one logs in again.',
      }),
    oAuth2SessionKey: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Name of the tokens in the session; the URL of the client endpoint by default.' }),
    cacheExpiration: config(duration({ unlimited: false }))
      .prefault('10 minutes')
      .meta({ description: 'How long user info is cached.' }),
    executor: json().optional().meta({ description: 'Schedules tasks.', unsupported: 'nothing has to be scheduled' }),
    metadata: json().optional().meta({ description: 'Metadata for dynamic registration.', unsupported: BY_HAND }),
    discoveryHandler: json().optional().meta({ description: 'Sends requests of discovery.', unsupported: BY_HAND }),
    discoverySecretId: config(secretId())
      .optional()
      .meta({ description: 'Secret for dynamic registration.', unsupported: BY_HAND }),
    tokenEndpointAuthMethod: json()
      .optional()
      .meta({ description: 'Of clients that register themselves.', unsupported: BY_HAND }),
    tokenEndpointAuthSigningAlg: json()
      .optional()
      .meta({ description: 'Of clients that register themselves.', unsupported: BY_HAND }),
    secretsProvider: json()
      .optional()
      .meta({ description: 'Secrets of clients that register themselves.', unsupported: BY_HAND }),
  },
  check: ({ registrations, loginHandler, acrValues }, report) => {
    if (registrations.length === 0) report('/registrations', 'expected at least one ClientRegistration')
    if (registrations.length > 1 && loginHandler === undefined)
      report(
        '/loginHandler',
        `expected a handler, because there are ${registrations.length} registrations to choose from`,
      )
    const [plain] = registrations.filter(({ scopes }) => !scopes.includes('openid'))
    if (acrValues.length > 0 && plain !== undefined)
      report(
        '/acrValues',
        `expected the scope openid in the registration ${plain.clientId}: others have no class of a login`,
      )
    const keys = registrations.map(registrationKey)
    for (const [at, key] of keys.entries())
      if (keys.indexOf(key) < at)
        report(`/registrations/${at}`, `expected each client of an issuer once, got ${key} again`)
  },
  create: (settings, env) => loginFilter(settings, env),
})

interface Settings {
  readonly clientEndpoint: Runtime<string>
  readonly registrations: readonly ClientRegistration[]
  readonly loginHandler?: Handler | undefined
  readonly failureHandler?: Handler | undefined
  readonly target: Assign
  readonly requireHttps: boolean
  readonly requireLogin: boolean
  readonly defaultLoginGoto?: string | undefined
  readonly defaultLogoutGoto?: string | undefined
  readonly revokeOauth2TokenOnLogout: boolean
  readonly openIdEndSessionOnLogout: boolean
  readonly prompt?: string | undefined
  readonly acrValues: readonly string[]
  readonly oAuth2SessionKey?: string | undefined
  readonly cacheExpiration: number
}

function loginFilter(settings: Settings, env: Environment): Filter {
  const { clock, logger } = env
  const loginSettings: LoginSettings = {
    registrations: settings.registrations,
    prompt: settings.prompt ?? null,
    acrValues: settings.acrValues,
    defaultLoginGoto: settings.defaultLoginGoto ?? null,
    defaultLogoutGoto: settings.defaultLogoutGoto ?? null,
    revokeOnLogout: settings.revokeOauth2TokenOnLogout,
    onRevocationFailure: (error) =>
      logger.limited(error.message).warn({ error }, 'tokens not revoked at logout: they can be used until they expire'),
    endSessionOnLogout: settings.openIdEndSessionOnLogout,
    clock,
    usedStates: new UsedStates(env.sharedStore('used login states'), LOGIN_LIFETIME),
  }
  const flow = new LoginFlow(loginSettings)
  const loggedIn: LoggedInSettings = {
    refreshes: new SharedRefresh(env.sharedStore('oauth2 refresh'), clock),
    userInfo: new UserInfo(settings.cacheExpiration, clock, ({ message }) =>
      logger.limited(message).warn({ reason: message }, 'user info refused: user_info is null'),
    ),
    now: () => clock.now(),
    canStepUp: ({ request }) => isNavigation(request) && (request.method === 'GET' || request.method === 'HEAD'),
    assign: (exchange, info) => settings.target(exchange, null, info),
  }

  const failed = async (exchange: Exchange, error: OpenIdError, endpoint: string): Promise<Response> => {
    const { error: code, description } = error
    const transactionId = exchange.transactionId.value
    logger.limited(transactionId).warn({ error, transactionId }, 'a login failed')
    const failure = { error: code, description, exception: { message: error.message } }
    if (settings.failureHandler !== undefined)
      return settings.failureHandler(exchange.with(OAuth2FailureContext, failure))
    // With several registrations, `login` alone does not know which one is meant.
    const isClear = settings.registrations.length === 1
    return failurePage(error, isClear ? `${endpoint}/login` : (settings.defaultLoginGoto ?? '/'))
  }

  /** Begins a login that ends at the URL of the request; a demand of the application goes before that of the filter. */
  const login = async (
    exchange: Exchange,
    memory: LoginMemory,
    endpoint: string,
    registration: ClientRegistration,
    demand?: LoginDemand,
  ): Promise<Response> => {
    const refusal = loginRequired(exchange, `${endpoint}/login`)
    if (refusal !== null) return refusal
    const here = sameOriginGoto(exchange.originalUri.toString(), exchange.originalUri) ?? '/'
    return flow.begin(exchange, memory, endpoint, registration, here, demand === undefined ? {} : { demand })
  }

  /** Whether the provider has ended the session is not known: it does not count, and is not forgotten either. */
  const revocationsUnavailable = ({ transactionId }: Exchange, error: SessionUnavailableError): Response => {
    logger
      .limited(error)
      .error({ error, transactionId: transactionId.value }, 'revocations unavailable: requests get 503')
    return respond(503, { 'Retry-After': '5', 'Cache-Control': 'no-store' })
  }

  const withoutLogin = async (
    exchange: Exchange,
    next: Handler,
    memory: LoginMemory,
    endpoint: string,
  ): Promise<Response> => {
    if (!settings.requireLogin) {
      begunLogins.strip(exchange)
      return next(exchange)
    }
    const [only, ...others] = settings.registrations
    if (only === undefined || others.length > 0) return (settings.loginHandler as Handler)(exchange)
    return login(exchange, memory, endpoint, only)
  }

  const callback = new LoginCallback(flow, loginSettings, failed)

  const loggedOut = async (exchange: Exchange, memory: LoginMemory, endpoint: string): Promise<Response> => {
    const response = await flow.logout(exchange, memory)
    loginRounds.reset(response, exchange, endpoint)
    return response
  }

  const handled = async (exchange: Exchange, next: Handler, endpoint: ClientEndpoint): Promise<Response> => {
    const memory = new LoginMemory(exchange.session, settings.oAuth2SessionKey ?? endpoint.url, clock.now())
    switch (stepOf(exchange, endpoint.path)) {
      case 'login':
        return flow.login(exchange, memory, endpoint.url)
      case 'callback':
        return callback.handle(exchange, memory, endpoint.url)
      case 'logout':
        return loggedOut(exchange, memory, endpoint.url)
      case 'backchannel-logout':
        return backChannelLogout(exchange, { registrations: settings.registrations, clock, logger })
    }
    const { tokens } = memory
    const registration = tokens === null ? null : flow.registration(tokens.registration)
    if (tokens === null || registration === null) return withoutLogin(exchange, next, memory, endpoint.url)
    const identity = tokens.login ?? loginIdentity(claimsOf(tokens), registration.clientId, null)
    if (await isRevoked(exchange, memory, identity, clock.now())) {
      logger.debug({ transactionId: exchange.transactionId.value }, 'session ended by its provider')
      memory.forget()
      return withoutLogin(exchange, next, memory, endpoint.url)
    }
    const { acrValues } = settings
    if (acrValues.length > 0 && !acrValues.includes(tokens.acr ?? ''))
      return login(exchange, memory, endpoint.url, registration)
    try {
      const response = await passLoggedIn(exchange, next, memory, registration, endpoint.url, loggedIn)
      endWithLogin(response, exchange, identity)
      return response
    } catch (error) {
      if (error instanceof StepUpRequiredError) return login(exchange, memory, endpoint.url, registration, error.demand)
      if (!(error instanceof TokensEndedError)) throw error
      logger.limited(error.message).info({ reason: error.message }, 'tokens ended: the user has to log in again')
      memory.forget()
      if (clock.now() - (tokens?.loggedInAt ?? 0) < JUST_LOGGED_IN)
        throw new OpenIdError('invalid_token', `tokens ended right after they had been issued: ${error.message}`, false)
      return withoutLogin(exchange, next, memory, endpoint.url)
    }
  }

  return async (exchange, next) => {
    if (settings.requireHttps && exchange.originalUri.scheme !== 'https')
      return respond(403, {}, 'This page is available over HTTPS only.\n')
    const endpoint = await endpointOf(settings.clientEndpoint, exchange)
    try {
      return await handled(exchange, next, endpoint)
    } catch (error) {
      if (error instanceof OpenIdError) return failed(exchange, error, endpoint.url)
      if (error instanceof SessionUnavailableError) return revocationsUnavailable(exchange, error)
      throw error
    }
  }
}

interface ClientEndpoint {
  readonly url: string
  readonly path: string
}

/** The client endpoint, of the site that the request came to unless it names one. */
async function endpointOf(expression: Runtime<string>, exchange: Exchange): Promise<ClientEndpoint> {
  const text = await expression(exchange)
  if (text === null || text === '') throw new Error('the expression of clientEndpoint gave nothing')
  const site = exchange.originalUri
  const uri = Uri.parse(text.startsWith('/') ? `${site.scheme}://${site.authority}${text}` : text)
  const path = uri.rawPath.replace(/\/+$/, '')
  return { url: `${uri.scheme}://${uri.authority}${path}`, path }
}

function stepOf(exchange: Exchange, path: string): string {
  const here = exchange.originalUri.rawPath
  return here.startsWith(`${path}/`) ? here.slice(path.length + 1) : ''
}
