import { type AccessTokenResolver, AmServiceKind, Executor } from '#contracts'
import { isPlainObject, type JsonObject } from '#json'
import {
  boolean,
  config,
  type DecodedMembers,
  duration,
  type Environment,
  object,
  ref,
  renames,
  type Settled,
} from '#schema'
import { DEFAULT_SIZE } from '../cache-size.ts'
import { cachedResolver, STRATEGY_FIELD } from './token-cache.ts'

const MEMBERS = {
  enabled: config(boolean()).default(false).meta({ description: 'Whether tokens are cached.' }),
  defaultTimeout: config(duration({ unlimited: false }))
    .default('1 minute')
    .meta({ description: 'How long a token without an expiry is cached.' }),
  maxTimeout: config(duration({ zero: false, unlimited: false }))
    .optional()
    .meta({ description: 'Maximum time in the cache.' }),
  executor: ref(Executor)
    .default('ScheduledExecutorService')
    .meta({ description: 'Service that removes expired tokens.' }),
  amService: ref(AmServiceKind).optional().meta({ description: 'Access manager that notifies of revoked tokens.' }),
  onNotificationDisconnection: STRATEGY_FIELD,
}

/** The field `cache` of a resolver, of older configurations. */
export const OLDER_CACHE_FIELD = object(MEMBERS, { older: renames({ maximumTimeToCache: 'maxTimeout' }) })
  .optional()
  .meta({ description: 'Cache of tokens.', replacement: 'use a CacheAccessTokenResolver around this resolver' })

/** The resolver, in a cache where one is enabled. */
export function withOlderCache(
  resolver: AccessTokenResolver,
  cache: Settled<DecodedMembers<typeof MEMBERS>> | undefined,
  env: Environment,
): AccessTokenResolver {
  if (cache?.enabled !== true) return resolver
  const { amService = null, maxTimeout = null } = cache
  const settings = { ...cache, amService, maxTimeout, maxTimeoutField: 'maxTimeout', maximumSize: DEFAULT_SIZE }
  return cachedResolver(resolver, settings, env)
}

/** A resolver with a cache as it is declared now, in a CacheAccessTokenResolver; null without an enabled cache, or where a person decides. */
export function cacheAround(declaration: JsonObject): JsonObject | null {
  const { type = null, config, ...others } = declaration
  if (!isPlainObject(config) || !isPlainObject(config['cache'])) return null
  const { cache, ...rest } = config as JsonObject
  const { enabled = false, ...settings } = cache as JsonObject
  if (enabled === false) return { ...declaration, config: rest }
  // An expression decides when the gateway starts: CacheAccessTokenResolver accepts it too.
  const { maxTimeout, ...same } = settings
  return {
    ...others,
    type: 'CacheAccessTokenResolver',
    config: {
      ...(enabled !== true && { enabled }),
      ...same,
      ...(maxTimeout !== undefined && { maximumTimeToCache: maxTimeout }),
      delegate: { type, config: rest },
    },
  }
}
