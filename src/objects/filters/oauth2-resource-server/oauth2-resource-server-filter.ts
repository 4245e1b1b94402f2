import { CACHE_METRICS } from '#cache'
import { AccessTokenResolverKind, Executor, FilterKind, OAuth2Context } from '#contracts'
import type { JsonObject, JsonValue } from '#json'
import {
  boolean,
  config,
  converted,
  defineType,
  isZeroDuration,
  leftValue,
  object,
  ref,
  renamed,
  renames,
  string,
} from '#schema'
import { assignedTarget } from '../../lib/deprecated-fields/assigned-target.ts'
import { TOKEN_CACHE_EVENTS } from '../../lib/tokens/cached-resolver.ts'
import type { RecentCredentials } from '../../lib/tokens/credentials.ts'
import { RecentValues } from '../../lib/tokens/recent-values.ts'
import { cachedResolver, MAXIMUM_TIME_FIELD, TOKEN_CACHE_FIELDS } from '../../lib/tokens/token-cache.ts'
import { Admission } from './admission.ts'
import { endWithToken } from './open-connections.ts'
import { requiredScopes, SCOPES_FIELD } from './required-scopes.ts'

const CACHE_FIELD = object(
  {
    enabled: config(boolean()).default(false).meta({
      description:
        'Whether tokens are cached. If not, the token of each request is verified by the authorization server.',
    }),
    ...TOKEN_CACHE_FIELDS,
    maxTimeout: MAXIMUM_TIME_FIELD,
  },
  { older: renames({ maximumTimeToCache: 'maxTimeout' }) },
)
  .optional()
  .meta({ description: 'Cache of tokens. Without it nothing is cached.' })

const FORGET_INTERVAL = 10_000

/** Printable ASCII. */
const PRINTABLE = /^[\x20-\x7e]*$/

/** Admits requests with a valid access token. */
export const OAuth2ResourceServerFilter = defineType({
  name: 'OAuth2ResourceServerFilter',
  aliases: ['OAuth2RSFilter'],
  kind: FilterKind,
  summary: 'Requires a valid OAuth 2.0 access token with the needed scopes.',
  provides: [OAuth2Context],
  metrics: CACHE_METRICS,
  events: TOKEN_CACHE_EVENTS,
  config: {
    accessTokenResolver: ref(AccessTokenResolverKind).meta({ description: 'Resolves and validates access tokens.' }),
    cache: CACHE_FIELD,
    executor: ref(Executor).default('ScheduledExecutorService').meta({
      description: 'Service that forgets expired and unused tokens, and checks those of open connections.',
    }),
    requireHttps: config(boolean()).default(true).meta({
      description: 'Whether requests with an original URI other than HTTPS are rejected with 403.',
    }),
    realm: config(string())
      .default('IdentityGateway')
      .meta({ description: 'The realm in the WWW-Authenticate header field.' }),
    scopes: SCOPES_FIELD,
    allowBoundTokens: config(boolean()).default(false).meta({
      description:
        'Whether tokens that are bound to a key or certificate (`cnf`) are admitted although no resolver of this filter verifies the binding.',
    }),
    closeOnRevocation: config(boolean()).default(true).meta({
      description: 'Whether WebSocket connections are closed when their token expires or is revoked.',
    }),
    target: leftValue().optional().meta({
      description: 'Target for a copy of the access token.',
      replacement: 'use contexts.oauth2.accessToken',
    }),
  },
  older: [
    converted(
      ['tokenInfoEndpoint', 'providerHandler'],
      'accessTokenResolver',
      'use accessTokenResolver, such as a TokenIntrospectionAccessTokenResolver with the credentials of a client in its providerHandler',
      olderResolver,
      ['cache'],
    ),
    converted(['cacheExpiration'], 'cache', 'use cache with enabled and maxTimeout', ({ cacheExpiration }) => ({
      cache: cacheFor(cacheExpiration),
    })),
    renamed('requiredScopes', 'scopes'),
    renamed('enforceHttps', 'requireHttps'),
  ],
  check({ realm }, report) {
    if (PRINTABLE.test(realm)) return
    report('/realm', `expected printable ASCII characters, got ${JSON.stringify(realm.slice(0, 60))}`)
  },
  migrate: assignedTarget('${contexts.oauth2.accessToken}'),
  create(
    { accessTokenResolver, cache, executor, requireHttps, realm, scopes, closeOnRevocation, allowBoundTokens, target },
    env,
  ) {
    const { clock } = env
    const required = requiredScopes(scopes, env)
    const resolver =
      cache?.enabled === true
        ? cachedResolver(
            accessTokenResolver,
            { ...cache, executor },
            { field: 'maxTimeout', time: cache.maxTimeout },
            env,
          )
        : accessTokenResolver
    const recentCredentials: RecentCredentials = new RecentValues()
    env.onDispose(executor.repeat(FORGET_INTERVAL, () => recentCredentials.forget()))
    const following = { resolver, executor, clock }
    return new Admission({
      resolver,
      recentCredentials,
      requiredScopes: required,
      realm,
      requireHttps,
      allowBoundTokens,
      target: target ?? null,
      clock,
      env,
      onUpgrade: closeOnRevocation
        ? (response, token, exchange) => endWithToken(response, token, exchange, following)
        : null,
    }).filter
  },
})

/** OpenIG caches tokens of the token info endpoint for one minute, unless configured otherwise. */
function olderResolver({ tokenInfoEndpoint, providerHandler }: JsonObject, others: JsonObject): JsonObject {
  const isCached = others['cache'] !== undefined || others['cacheExpiration'] !== undefined
  return {
    accessTokenResolver: {
      type: 'OpenAmAccessTokenResolver',
      config: {
        ...(tokenInfoEndpoint !== undefined && { endpoint: tokenInfoEndpoint }),
        ...(providerHandler !== undefined && { providerHandler }),
      },
    },
    ...(!isCached && { cache: cacheFor('1 minute') }),
  }
}

function cacheFor(time: JsonValue | undefined): JsonObject {
  if (time === undefined || isZeroDuration(time)) return { enabled: false }
  return { enabled: true, defaultTimeout: time, maxTimeout: time }
}
