import { ClientRegistrationKind, FilterKind, HandlerKind, OAuth2FailureContext, OAuth2InfoContext } from '#contracts'
import {
  boolean,
  config,
  converted,
  defineType,
  duration,
  ignored,
  json,
  leftValue,
  list,
  oneOf,
  ref,
  runtime,
  secretId,
  string,
} from '#schema'
import { LOGIN_LIFETIME } from '../../lib/login/login-cookies.ts'
import { UsedStates } from '../../lib/login/used-states.ts'
import { EVENTS } from '../log-events.ts'
import { LoginRequest, type LoginSettings } from './login-request.ts'
import { registrationKey } from './login-session.ts'
import { loginFlow } from './login-steps.ts'
import { SharedRefresh } from './shared-refresh.ts'
import { UserInfo } from './user-info.ts'

const BY_HAND = 'clients are registered by hand: name them in registrations'

/** Logs users in at an authorization server. */
export const AuthorizationCodeOAuth2ClientFilter = defineType({
  name: 'AuthorizationCodeOAuth2ClientFilter',
  aliases: ['OAuth2ClientFilter'],
  kind: FilterKind,
  summary: 'Requires a login by OAuth 2.0 or OpenID Connect (authorization code flow).',
  provides: [OAuth2InfoContext],
  diverts: { loginHandler: [], failureHandler: [OAuth2FailureContext] },
  after: ['DataPreservationFilter'],
  events: [
    EVENTS.LOGIN_FAILED,
    EVENTS.LOGOUT_FAILED,
    EVENTS.LOGOUT_TOKEN_REFUSED,
    EVENTS.REVOCATIONS_UNAVAILABLE,
    EVENTS.SESSION_NOT_ENDED,
    EVENTS.TOKENS_NOT_REVOKED,
    EVENTS.USER_INFO_REFUSED,
  ],
  config: {
    clientEndpoint: runtime('string').meta({
      description: 'Path or URL of the gateway that contains `login`, `callback`, `logout` and `backchannel-logout`.',
    }),
    registrations: list(ref(ClientRegistrationKind))
      .default([])
      .meta({ description: 'The client registrations of the gateway.' }),
    loginHandler: ref(HandlerKind).optional().meta({
      description: 'Handles unauthenticated requests, where there is not exactly one registration.',
    }),
    failureHandler: ref(HandlerKind).optional().meta({
      description: 'Handles failed logins, with `contexts.oauth2Failure`; by default a page with 400, 403, 500 or 503.',
    }),
    target: leftValue().default('${attributes.openid}').meta({
      description: 'Target for a copy of `contexts.oauth2Info`, for expressions of older configurations.',
    }),
    requireHttps: config(boolean()).default(true).meta({ description: 'Whether requests without TLS are rejected.' }),
    requireLogin: config(boolean()).default(true).meta({
      description:
        'Whether unauthenticated requests are redirected to the login; if not, they are passed on without a user.',
    }),
    defaultLoginGoto: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Redirect target after `login` without a parameter `goto`.' }),
    defaultLogoutGoto: config(string({ nonEmpty: true }))
      .optional()
      .meta({
        description:
          'Redirect target after `logout` without a parameter `goto`; by default a page with a link to log in again.',
      }),
    revokeOauth2TokenOnLogout: config(boolean())
      .default(false)
      .meta({ description: 'Whether `logout` revokes the tokens.' }),
    openIdEndSessionOnLogout: config(boolean())
      .default(false)
      .meta({ description: 'Whether `logout` ends the session at the authorization server too.' }),
    prompt: config(oneOf(['none', 'login', 'consent', 'select_account']))
      .optional()
      .meta({ description: 'The parameter `prompt` of authorization requests: whether the user has to log in again.' }),
    acrValues: list(config(string({ nonEmpty: true })))
      .default([])
      .meta({
        description:
          'Authentication context classes, one of which must be the `acr` of the ID token; otherwise the user has to log in again.',
      }),
    oAuth2SessionKey: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Name of the tokens in the session; the URL of the client endpoint by default.' }),
    cacheExpiration: config(duration({ unlimited: false }))
      .default('10 minutes')
      .meta({ description: 'How long user info is cached.' }),
    executor: json().optional().meta({ description: 'Schedules tasks.', unsupported: 'nothing has to be scheduled' }),
    metadata: json().optional().meta({ description: 'Metadata for dynamic registration.', unsupported: BY_HAND }),
    discoveryHandler: json().optional().meta({ description: 'Sends discovery requests.', unsupported: BY_HAND }),
    discoverySecretId: config(secretId())
      .optional()
      .meta({ description: 'Secret for dynamic registration.', unsupported: BY_HAND }),
    tokenEndpointAuthMethod: json()
      .optional()
      .meta({ description: 'For dynamic client registration.', unsupported: BY_HAND }),
    tokenEndpointAuthSigningAlg: json()
      .optional()
      .meta({ description: 'For dynamic client registration.', unsupported: BY_HAND }),
    secretsProvider: json()
      .optional()
      .meta({ description: 'Secrets for dynamic client registration.', unsupported: BY_HAND }),
  },
  older: [
    converted(['registration'], 'registrations', 'use registrations with a list', ({ registration = null }) => ({
      registrations: Array.isArray(registration) ? registration : [registration],
    })),
    ignored('issuerRepository', 'issuers are those of the registrations'),
    ignored('draftMixUpMitigation', 'the parameter `iss` of authorization responses is always checked (RFC 9207)'),
  ],
  check: ({ registrations, loginHandler, acrValues }, report, warn) => {
    if (registrations.length === 0)
      warn(`no user can log in, and loginHandler gets every request without a login: ${BY_HAND}`, '/registrations')
    if (registrations.length === 0 && loginHandler === undefined)
      report(
        '/registrations',
        `expected a ClientRegistration, or a loginHandler for requests without a login: ${BY_HAND}`,
      )
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
  create: (config, env) => {
    const { clock, logger } = env
    const settings: LoginSettings = {
      clientEndpoint: config.clientEndpoint,
      registrations: config.registrations,
      registrationByKey: new Map(config.registrations.map((each) => [registrationKey(each), each])),
      loginHandler: config.loginHandler ?? null,
      failureHandler: config.failureHandler ?? null,
      assign: (exchange, info) => config.target(exchange, null, info),
      requireHttps: config.requireHttps,
      requireLogin: config.requireLogin,
      defaultLoginGoto: config.defaultLoginGoto ?? null,
      defaultLogoutGoto: config.defaultLogoutGoto ?? null,
      revokeOnLogout: config.revokeOauth2TokenOnLogout,
      endSessionOnLogout: config.openIdEndSessionOnLogout,
      prompt: config.prompt ?? null,
      acrValues: config.acrValues,
      sessionKey: config.oAuth2SessionKey ?? null,
      usedStates: new UsedStates(env.sharedStore('used login states'), LOGIN_LIFETIME),
      refreshes: new SharedRefresh(env.sharedStore('oauth2 refresh'), clock),
      userInfo: new UserInfo(config.cacheExpiration, clock, ({ message }) =>
        logger.limited(message).warn({ reason: message }, EVENTS.USER_INFO_REFUSED),
      ),
      clock,
      logger,
    }
    return (exchange, next) => loginFlow(new LoginRequest(exchange, next, settings))
  },
})
