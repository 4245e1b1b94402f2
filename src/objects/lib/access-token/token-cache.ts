import { cacheMetrics, type DisconnectionStrategy, RevocableCache } from '#cache'
import type { AccessTokenResolver, AmService, Executor } from '#contracts'
import { config, type Environment, oneOf } from '#schema'
import { unitSize } from '../cache-size.ts'
import { FallbackTtl } from '../fallback-ttl.ts'
import { type CachedResolution, CachedResolver, type TokenTtls } from './cached-resolver.ts'
import { tagsOfNotification } from './token-tags.ts'

interface TokenCacheSettings extends TokenTtls {
  /** The field that sets `maxTimeout`, for warnings. */
  readonly maxTimeoutField: string
  readonly maximumSize: number
  readonly executor: Executor
  readonly amService: AmService | null
  readonly onNotificationDisconnection: DisconnectionStrategy
}

const SWEEP_INTERVAL = 10_000

/** The field `onNotificationDisconnection`. */
export const STRATEGY_FIELD = config(
  oneOf(['NEVER_CLEAR', 'CLEAR_ON_DISCONNECT', 'CLEAR_ON_RECONNECT'] satisfies DisconnectionStrategy[]),
)
  .default('CLEAR_ON_DISCONNECT')
  .meta({
    description:
      'Behaviour while notifications are disconnected: uncached tokens are rejected until the connection is restored; cached tokens stay in the cache (NEVER_CLEAR), are removed at once (CLEAR_ON_DISCONNECT) or when the connection is restored (CLEAR_ON_RECONNECT). Has effect with amService only.',
  })

/** Wraps a resolver in a cache that is closed when the object is disposed. */
export function cachedResolver(
  delegate: AccessTokenResolver,
  settings: TokenCacheSettings,
  env: Environment,
): CachedResolver {
  const {
    maximumSize,
    executor,
    amService,
    onNotificationDisconnection: strategy,
    defaultTimeout,
    maxTimeout,
  } = settings
  const { clock, logger } = env
  const notifications = amService?.notifications ?? null
  if (amService !== null && notifications === null) {
    env.warn('the notifications of amService are disabled: revoked tokens stay in the cache until their TTL ends')
  }
  const cache = new RevocableCache<CachedResolution>({
    maximumSize: unitSize(maximumSize, env),
    clock,
    metrics: cacheMetrics('access-token', env),
    invalidation: notifications === null ? null : { notifications, strategy, tagsOf: tagsOfNotification },
  })
  env.onDispose(() => cache.dispose())
  const resolver = new CachedResolver(delegate, {
    cache,
    isNotified: notifications !== null,
    fallbackTtls: (amService === null ? (delegate.accessManagers ?? []) : [amService]).map((source) =>
      fallbackTtl(source, settings, env),
    ),
    clock,
    logger,
    defaultTimeout,
    maxTimeout,
  })
  env.onDispose(executor.repeat(SWEEP_INTERVAL, () => resolver.sweep()))
  return resolver
}

function fallbackTtl(
  source: AmService,
  { defaultTimeout, maxTimeout, maxTimeoutField }: TokenCacheSettings,
  env: Environment,
): FallbackTtl {
  const field = maxTimeout === null ? 'defaultTimeout' : maxTimeoutField
  const configured = maxTimeout ?? defaultTimeout
  return new FallbackTtl(source, { configured, fallback: defaultTimeout, field, accepted: 'revoked tokens' }, env)
}
