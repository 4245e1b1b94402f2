import { AmServiceKind, FilterKind, HandlerKind, ResourceAccessKind } from '#contracts'
import { Uri } from '#http'
import {
  atLeastOneOf,
  boolean,
  byShape,
  config,
  defineType,
  duration,
  integer,
  list,
  object,
  ref,
  runtime,
  string,
  url,
} from '#schema'
import { ExchangeCache } from './exchange-cache.ts'
import { defaultFailure } from './exchange-failure.ts'
import { exchangeToken } from './exchange-token.ts'

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

/** Exchanges the token of a request for another. */
export const OAuth2TokenExchangeFilter = defineType({
  name: 'OAuth2TokenExchangeFilter',
  kind: FilterKind,
  summary: 'Exchanges the token of a request for another at an authorization server (RFC 8693).',
  config: {
    subjectToken: runtime('string').meta({
      description: 'The token that is exchanged, such as `${contexts.oauth2.accessToken.token}`.',
    }),
    amService: ref(AmServiceKind)
      .optional()
      .meta({ description: 'The access manager whose token endpoint is asked; goes before `endpoint`.' }),
    endpoint: config(url()).optional().meta({ description: 'URL of the token endpoint of the authorization server.' }),
    subjectTokenType: config(string({ nonEmpty: true }))
      .default(ACCESS_TOKEN)
      .meta({ description: 'URN of the type of the token that is exchanged.' }),
    requestedTokenType: config(string({ nonEmpty: true }))
      .default(ACCESS_TOKEN)
      .meta({ description: 'URN of the type of the token that is wanted.' }),
    scopes: byShape({
      array: list(runtime('string')),
      string: ref(ResourceAccessKind),
      object: ref(ResourceAccessKind),
    })
      .optional()
      .meta({ description: 'Scopes that are asked for: expressions, or an object that says which; none by default.' }),
    resource: config(url()).optional().meta({ description: 'URL of the service for which the token is wanted.' }),
    audience: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Name of the service for which the token is wanted.' }),
    endpointHandler: ref(HandlerKind).default('ForgeRockClientHandler').meta({
      description: 'Handler that sends the request for a token; a filter in it authenticates the gateway.',
    }),
    cache: object({
      enabled: config(boolean())
        .default(false)
        .meta({ description: 'Whether exchanged tokens are cached. If not, each request is an exchange.' }),
      defaultTimeout: config(duration({ zero: false, unlimited: false }))
        .default('1 minute')
        .meta({ description: 'How long a token is cached whose life the server does not tell.' }),
      maxTimeout: config(duration({ zero: false, unlimited: false }))
        .default('5 minutes')
        .meta({ description: 'How long any token is cached at most: a revoked one is used for so long.' }),
      maximumSize: config(integer({ min: 1 }))
        .default(10_000)
        .meta({ description: 'How many tokens each unit of the gateway caches; the least recently used is evicted.' }),
    })
      .optional()
      .meta({ description: 'Cache of exchanged tokens, by the token that is exchanged and the scopes.' }),
    failureHandler: ref(HandlerKind).optional().meta({
      description: 'Answers requests whose token can not be exchanged; `contexts.oauth2Failure` says why.',
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
      // The address of an access manager is known when it is needed, not before.
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
      cache: cache?.enabled === true ? new ExchangeCache({ ...cache, clock: env.clock }) : null,
    })
  },
})
