import { CACHE_METRICS } from '#cache'
import { AccessTokenResolverKind } from '#contracts'
import { boolean, config, defineType, ref, renames } from '#schema'
import { maximumSizeField, sweeperField } from '../../lib/caching/cache.ts'
import { TOKEN_CACHE_EVENTS } from '../../lib/tokens/cached-resolver.ts'
import { cachedResolver, MAXIMUM_TIME_FIELD, TOKEN_CACHE_FIELDS } from '../../lib/tokens/token-cache.ts'

/** Caches the results of another resolver. */
export const CacheAccessTokenResolver = defineType({
  name: 'CacheAccessTokenResolver',
  kind: AccessTokenResolverKind,
  summary: 'Caches the results of another resolver.',
  metrics: CACHE_METRICS,
  events: TOKEN_CACHE_EVENTS,
  config: {
    delegate: ref(AccessTokenResolverKind).meta({ description: 'Resolves the tokens that are not in the cache.' }),
    enabled: config(boolean()).default(true).meta({ description: 'Whether tokens are cached.' }),
    ...TOKEN_CACHE_FIELDS,
    maximumTimeToCache: MAXIMUM_TIME_FIELD,
    maximumSize: maximumSizeField('tokens'),
    executor: sweeperField('tokens'),
  },
  older: renames({ maxTimeout: 'maximumTimeToCache', maxSize: 'maximumSize' }),
  create({ delegate, enabled, maximumTimeToCache: time, ...settings }, env) {
    return enabled ? cachedResolver(delegate, settings, { field: 'maximumTimeToCache', time }, env) : delegate
  },
})
