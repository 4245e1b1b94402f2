import {
  AmServiceKind,
  FilterKind,
  HandlerKind,
  OAuth2FailureContext,
  OAuth2TokenExchangeContext,
  ResourceAccessKind,
} from '#contracts'
import { Uri } from '#http'
import {
  atLeastOneOf,
  boolean,
  byShape,
  config,
  defineType,
  duration,
  list,
  object,
  ref,
  runtime,
  string,
  url,
} from '#schema'
import { maximumSizeField, unitSize } from '../../lib/caching/cache.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/outbound-auth/log-events.ts'
import { ENDPOINT_HANDLER_FIELD } from '../../lib/outbound-auth/token-authorization.ts'
import { EVENTS } from '../log-events.ts'
import { ExchangeCache } from './exchange-cache.ts'
import { defaultFailure } from './exchange-failure.ts'
import { exchangeToken } from './exchange-token.ts'

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

/** Exchanges the token of a request for another. */
export const OAuth2TokenExchangeFilter = defineType({
  name: 'OAuth2TokenExchangeFilter',
  kind: FilterKind,
  summary: 'Exchanges the token of a request for another at an authorization server (RFC 8693).',
  provides: [OAuth2TokenExchangeContext],
  diverts: { failureHandler: [OAuth2FailureContext] },
  events: [LIB_EVENTS.TOKEN_REQUEST_FAILED, EVENTS.EXCHANGE_FAILED],
  config: {
    subjectToken: runtime('string').meta({
      description: 'The token to exchange, such as `${contexts.oauth2.accessToken.token}`.',
    }),
    amService: ref(AmServiceKind)
      .optional()
      .meta({ description: 'The access manager whose token endpoint is used; takes precedence over `endpoint`.' }),
    endpoint: config(url()).optional().meta({ description: 'URL of the token endpoint of the authorization server.' }),
    subjectTokenType: config(string({ nonEmpty: true }))
      .default(ACCESS_TOKEN)
      .meta({ description: 'URN of the type of the token to exchange.' }),
    requestedTokenType: config(string({ nonEmpty: true }))
      .default(ACCESS_TOKEN)
      .meta({ description: 'URN of the type of the requested token.' }),
    scopes: byShape({
      array: list(runtime('string')),
      string: ref(ResourceAccessKind),
      object: ref(ResourceAccessKind),
    })
      .optional()
      .meta({ description: 'Requested scopes: expressions, or an object that returns them; none by default.' }),
    resource: config(url()).optional().meta({ description: 'URL of the service for which the token is requested.' }),
    audience: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Name of the service for which the token is requested.' }),
    endpointHandler: ENDPOINT_HANDLER_FIELD,
    cache: object({
      enabled: config(boolean())
        .default(false)
        .meta({ description: 'Whether exchanged tokens are cached. If not, each request is an exchange.' }),
      defaultTimeout: config(duration({ zero: false, unlimited: false }))
        .default('1 minute')
        .meta({ description: 'How long a token without `expires_in` is cached.' }),
      maxTimeout: config(duration({ zero: false, unlimited: false }))
        .default('5 minutes')
        .meta({ description: 'Maximum time in the cache: a revoked token is used for up to this time.' }),
      maximumSize: maximumSizeField('tokens', 10_000),
    })
      .optional()
      .meta({ description: 'Cache of exchanged tokens, by the token that is exchanged and the scopes.' }),
    failureHandler: ref(HandlerKind).optional().meta({
      description: 'Handles requests whose token can not be exchanged; the reason is in `contexts.oauth2Failure`.',
    }),
  },
  rules: [atLeastOneOf('amService', 'endpoint')],
  check: ({ resource }, report) => {
    // RFC 8693 section 2.1 and RFC 8707 section 2.
    if (resource?.includes('#')) report('/resource', 'expected a URL without a fragment')
  },
  create: (settings, env) => {
    const { amService, endpoint, scopes, resource, audience, failureHandler, cache } = settings
    return exchangeToken({
      subjectToken: settings.subjectToken,
      // Evaluated for each request: the URL of an access manager may be unknown at load.
      endpoint: () => (amService === undefined ? Uri.parse(endpoint as string) : amService.oauth2Uri('access_token')),
      scopes: scopes ?? [],
      fields: {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: settings.subjectTokenType,
        requested_token_type: settings.requestedTokenType,
        ...(resource !== undefined && { resource }),
        ...(audience !== undefined && { audience }),
      },
      handler: settings.endpointHandler,
      onFailure: failureHandler === undefined ? defaultFailure : failureHandler,
      logger: env.logger,
      cache:
        cache?.enabled === true
          ? new ExchangeCache({ ...cache, maximumSize: unitSize(cache.maximumSize, env), clock: env.clock })
          : null,
    })
  },
})
