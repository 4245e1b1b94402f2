import type { AccessTokenResolver } from '#contracts'
import { isPlainObject, type JsonObject } from '#json'
import { boolean, config, type DecodedMembers, type Environment, object, renames, type Settled } from '#schema'
import { sweeperField } from '../caching/cache.ts'
import { cachedResolver, MAXIMUM_TIME_FIELD, TOKEN_CACHE_FIELDS } from '../tokens/token-cache.ts'

const MEMBERS = {
  enabled: config(boolean()).default(false).meta({ description: 'Whether tokens are cached.' }),
  ...TOKEN_CACHE_FIELDS,
  maxTimeout: MAXIMUM_TIME_FIELD,
  executor: sweeperField('tokens'),
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
  return cachedResolver(resolver, cache, { field: 'maxTimeout', time: cache.maxTimeout }, env)
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
