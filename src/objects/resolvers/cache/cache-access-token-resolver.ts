import { CACHE_METRICS } from '#cache'
import { AccessTokenResolverKind, AmServiceKind, Executor } from '#contracts'
import { boolean, config, defineType, duration, ref, renames } from '#schema'
import { cachedResolver, STRATEGY_FIELD } from '../../lib/access-token/token-cache.ts'
import { maximumSizeField } from '../../lib/cache-size.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/log-events.ts'

/** Caches the results of another resolver. */
export const CacheAccessTokenResolver = defineType({
  name: 'CacheAccessTokenResolver',
  kind: AccessTokenResolverKind,
  summary: 'Keeps what another resolver says of access tokens, until they expire or are revoked.',
  metrics: CACHE_METRICS,
  events: [LIB_EVENTS.REVOCATIONS_INCOMPLETE, LIB_EVENTS.TOKENS_DENIED, LIB_EVENTS.TOKEN_WITHOUT_ID],
  config: {
    delegate: ref(AccessTokenResolverKind).meta({ description: 'Resolves the tokens that are not in the cache.' }),
    enabled: config(boolean()).default(true).meta({ description: 'Whether tokens are cached.' }),
    defaultTimeout: config(duration({ unlimited: false }))
      .default('1 minute')
      .meta({ description: 'How long a token without an expiry is cached.' }),
    maximumTimeToCache: config(duration({ zero: false, unlimited: false }))
      .optional()
      .meta({
        description:
          'Maximum time in the cache; by default until the token expires, and `defaultTimeout` with OpenAM, which does not notify of revoked tokens.',
      }),
    maximumSize: maximumSizeField('tokens'),
    executor: ref(Executor)
      .default('ScheduledExecutorService')
      .meta({ description: 'Service that removes expired tokens.' }),
    amService: ref(AmServiceKind).optional().meta({
      description: 'Access manager that notifies of revoked tokens; its notifications have to be enabled.',
    }),
    onNotificationDisconnection: STRATEGY_FIELD,
  },
  older: renames({ maxTimeout: 'maximumTimeToCache', maxSize: 'maximumSize' }),
  create({ delegate, enabled, maximumTimeToCache, maximumSize, amService, ...settings }, env) {
    if (!enabled) return delegate
    return cachedResolver(
      delegate,
      {
        ...settings,
        maxTimeout: maximumTimeToCache ?? null,
        maxTimeoutField: 'maximumTimeToCache',
        maximumSize,
        amService: amService ?? null,
      },
      env,
    )
  },
})
