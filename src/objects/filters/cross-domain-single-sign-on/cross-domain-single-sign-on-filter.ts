import {
  CdssoContext,
  CdssoFailureContext,
  CONDITION_EVENTS,
  FilterKind,
  HandlerKind,
  LoginRedirectContext,
  SsoTokenContext,
  secretsProvider,
} from '#contracts'
import { config, defineType, json, needs, ref, secretId, string } from '#schema'
import { EVENTS as LIB_EVENTS } from '../../lib/am/log-events.ts'
import { redirectionMarker } from '../../lib/login/redirection-marker.ts'
import { SIGN_ON_FIELDS } from '../../lib/login/sign-on-fields.ts'
import { reportCookie, sessionCookieFields } from '../../lib/sessions/session-cookie.ts'
import { configuredKeys } from '../../lib/tokens/id-token-keys.ts'
import { EVENTS } from '../log-events.ts'
import { AgentTokens } from './agent-token.ts'
import { CrossDomainRequest, type CrossDomainSettings } from './cross-domain-request.ts'
import { crossDomainSingleSignOn } from './cross-domain-steps.ts'

/** Requires a session at an access manager in another domain. */
export const CrossDomainSingleSignOnFilter = defineType({
  name: 'CrossDomainSingleSignOnFilter',
  kind: FilterKind,
  summary: 'Requires a session at an access manager in another domain, or redirects to login.',
  provides: [CdssoContext, SsoTokenContext, LoginRedirectContext],
  diverts: { failureHandler: [CdssoFailureContext] },
  after: ['DataPreservationFilter'],
  events: [
    LIB_EVENTS.SESSION_NOT_ENDED,
    LIB_EVENTS.SESSION_VALID_AFTER_LOGOUT,
    EVENTS.CROSS_DOMAIN_LOGIN_FAILED,
    EVENTS.CROSS_DOMAIN_LOOKUP_FAILED,
    CONDITION_EVENTS.FAILED,
  ],
  config: {
    ...SIGN_ON_FIELDS,
    redirectEndpoint: config(string({ nonEmpty: true })).meta({
      description:
        'Path or URL of this gateway to which the access manager sends tokens; it is also in the profile of the agent. With OpenAM it ends with `agent/cdsso-oauth2`.',
    }),
    authCookie: sessionCookieFields('gateway-cdsso').meta({ description: 'The cookie with the token.' }),
    failureHandler: ref(HandlerKind)
      .optional()
      .meta({ description: 'Handles requests whose login failed, with `contexts.cdssoFailure`; 403 by default.' }),
    verificationSecretId: config(secretId()).optional().meta({
      description:
        'Secret ID of keys that verify tokens, instead of those the access manager publishes or, with OpenAM, derives from the password of the agent.',
    }),
    secretsProvider: secretsProvider('the keys'),
    createSession: json()
      .optional()
      .meta({ description: 'Whether a session is created.', unsupported: 'the token is stored in its own cookie' }),
  },
  rules: [needs('verificationSecretId', 'secretsProvider')],
  check: ({ authCookie, redirectEndpoint }, report) => {
    reportCookie(authCookie, report, '/authCookie')
    if (!/^(?:\/(?!\/)|https?:\/\/)[^?#]*$/.test(redirectEndpoint))
      report('/redirectEndpoint', `expected a path or a URL without query, got ${JSON.stringify(redirectEndpoint)}`)
  },
  create: (config, env) => {
    const { amService, verificationSecretId, secretsProvider: provider } = config
    const keys = verificationSecretId === undefined ? null : configuredKeys(provider, verificationSecretId)
    const settings: CrossDomainSettings = {
      amService,
      tokens: new AgentTokens(amService, keys, env),
      redirectEndpoint: config.redirectEndpoint,
      service: config.authenticationService ?? null,
      cookie: config.authCookie,
      marker: redirectionMarker(config.redirectionMarker, env.clock),
      logoutExpression: config.logoutExpression ?? null,
      landingPage: config.defaultLogoutLandingPage ?? null,
      failureHandler: config.failureHandler ?? null,
      logger: env.logger,
      now: () => env.clock.now(),
    }
    return async (exchange, next) => crossDomainSingleSignOn(new CrossDomainRequest(exchange, next, settings))
  },
})
