import { AccessTokenResolverKind, AmServiceKind, Executor, FilterKind } from '#contracts'
import { boolean, config, defineType, duration, object, ref, string } from '#schema'
import { cachedResolver, DEFAULT_SIZE, STRATEGY_FIELD } from '../../lib/access-token/token-cache.ts'
import { Admission } from './admission.ts'
import { endWithToken } from './open-connections.ts'
import { requiredScopes, SCOPES_FIELD } from './required-scopes.ts'

const CACHE_FIELD = object({
  enabled: config(boolean())
    .default(false)
    .meta({ description: 'Whether tokens are kept. If not, each request is verified by the authorization server.' }),
  defaultTimeout: config(duration({ unlimited: false }))
    .default('1 minute')
    .meta({ description: 'How long a token is kept that says nothing of its expiry.' }),
  maxTimeout: config(duration({ zero: false, unlimited: false }))
    .optional()
    .meta({
      description:
        'How long any token is kept at most; by default until it expires, and `defaultTimeout` with OpenAM, which does not tell of revoked tokens.',
    }),
  amService: ref(AmServiceKind)
    .optional()
    .meta({ description: 'Access manager that tells which tokens are revoked; its notifications have to be enabled.' }),
  onNotificationDisconnection: STRATEGY_FIELD,
})
  .optional()
  .meta({ description: 'Keeps what is known of tokens. Without it nothing is kept.' })

/** Text that can stand in a header field as it is. */
const PRINTABLE = /^[\x20-\x7e]*$/

/** Protects what is behind it by access tokens. */
export const OAuth2ResourceServerFilter = defineType({
  name: 'OAuth2ResourceServerFilter',
  aliases: ['OAuth2RSFilter'],
  kind: FilterKind,
  summary: 'Admits requests that carry a valid OAuth 2.0 access token with the scopes they need.',
  config: {
    accessTokenResolver: ref(AccessTokenResolverKind).meta({ description: 'Finds out what a token is worth.' }),
    cache: CACHE_FIELD,
    executor: ref(Executor).default('ScheduledExecutorService').meta({
      description: 'Service that removes tokens from the cache, and looks after those of open connections.',
    }),
    requireHttps: config(boolean()).default(true).meta({
      description: 'Whether requests whose original URI is not an HTTPS one are refused with 403.',
    }),
    realm: config(string())
      .default('IdentityGateway')
      .meta({ description: 'The realm in the WWW-Authenticate header field of refusals.' }),
    scopes: SCOPES_FIELD,
    allowBoundTokens: config(boolean()).default(false).meta({
      description:
        'Whether tokens that are bound to a key or certificate (`cnf`) are admitted although no resolver of this filter verifies the binding.',
    }),
    closeOnRevocation: config(boolean()).default(true).meta({
      description: 'Whether WebSocket connections end when the token they were opened with expires or is revoked.',
    }),
  },
  check({ realm }, report) {
    if (PRINTABLE.test(realm)) return
    report('/realm', `expected printable ASCII characters, got ${JSON.stringify(realm.slice(0, 60))}`)
  },
  create(
    { accessTokenResolver, cache, executor, requireHttps, realm, scopes, closeOnRevocation, allowBoundTokens },
    env,
  ) {
    const { clock } = env
    const required = requiredScopes(scopes, env)
    const resolver =
      cache?.enabled === true
        ? cachedResolver(
            accessTokenResolver,
            {
              ...cache,
              executor,
              amService: cache.amService ?? null,
              maximumSize: DEFAULT_SIZE,
              maxTimeout: cache.maxTimeout ?? null,
              maxTimeoutField: 'maxTimeout',
            },
            env,
          )
        : accessTokenResolver
    const following = { resolver, executor, clock }
    return new Admission({
      resolver,
      requiredScopes: required,
      realm,
      requireHttps,
      allowBoundTokens,
      clock,
      follow: closeOnRevocation
        ? (response, token, exchange) => endWithToken(response, token, exchange, following)
        : null,
    }).filter
  },
})
