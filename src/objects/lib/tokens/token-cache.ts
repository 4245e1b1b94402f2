import type { DisconnectionStrategy } from '#cache'
import { type AccessTokenResolver, type AmService, AmServiceKind, type Executor } from '#contracts'
import { config, duration, type Environment, ref } from '#schema'
import { DEFAULT_SIZE, openCache, strategyField } from '../caching/cache.ts'
import { FallbackTtl } from '../caching/fallback-ttl.ts'
import { type CachedResolution, CachedResolver } from './cached-resolver.ts'
import { RecentValues } from './recent-values.ts'
import { tagsOfNotification } from './token-tags.ts'

/** The fields of every cache of tokens. That of the maximum time is `maxTimeout` or `maximumTimeToCache`. */
export const TOKEN_CACHE_FIELDS = {
  defaultTimeout: config(duration({ unlimited: false }))
    .default('1 minute')
    .meta({ description: 'How long a token without an expiry is cached.' }),
  amService: ref(AmServiceKind).optional().meta({
    description: 'Access manager that notifies of revoked tokens; its notifications have to be enabled.',
  }),
  onNotificationDisconnection: strategyField('tokens', ' Has effect with amService only.'),
}

export const MAXIMUM_TIME_FIELD = config(duration({ zero: false, unlimited: false }))
  .optional()
  .meta({
    description:
      'Maximum time in the cache; by default until the token expires, and `defaultTimeout` with OpenAM, which does not notify of revoked tokens.',
  })

interface TokenCacheSettings {
  readonly defaultTimeout: number
  readonly amService?: AmService | undefined
  readonly onNotificationDisconnection: DisconnectionStrategy
  readonly executor: Executor
  readonly maximumSize?: number
}

/** Wraps a resolver in a cache that is closed when the object is disposed; `maximum` is the configured maximum time and its field. */
export function cachedResolver(
  delegate: AccessTokenResolver,
  settings: TokenCacheSettings,
  maximum: { readonly field: string; readonly time: number | undefined },
  env: Environment,
): CachedResolver {
  const { amService, defaultTimeout } = settings
  const maxTimeout = maximum.time ?? null
  const notifications = amService?.notifications ?? null
  if (amService !== undefined && notifications === null) {
    env.warn('the notifications of amService are disabled: revoked tokens stay in the cache until their TTL ends')
  }
  const digests = new RecentValues<string>()
  const cache = openCache<CachedResolution>(
    'access-token',
    { maximumSize: DEFAULT_SIZE, ...settings, onSweep: () => digests.forget() },
    notifications && { notifications, strategy: settings.onNotificationDisconnection, tagsOf: tagsOfNotification },
    env,
  )
  const fallbackTtl = {
    configured: maxTimeout ?? defaultTimeout,
    fallback: defaultTimeout,
    field: maxTimeout === null ? 'defaultTimeout' : maximum.field,
    accepted: 'revoked tokens',
  }
  const sources = amService === undefined ? (delegate.accessManagers ?? []) : [amService]
  return new CachedResolver(delegate, {
    cache,
    digests,
    isNotified: notifications !== null,
    fallbackTtls: sources.map((source) => new FallbackTtl(source, fallbackTtl, env)),
    clock: env.clock,
    logger: env.logger,
    defaultTimeout,
    maxTimeout,
  })
}
