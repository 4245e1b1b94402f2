export { CACHE_METRICS, cacheMetrics } from './cache-metrics.ts'
export { CachedValue } from './cached-value.ts'
export {
  type DisconnectionStrategy,
  type Invalidation,
  type LoadResult,
  RevocableCache,
  Unavailable,
} from './revocable-cache.ts'
export { TtlCache } from './ttl-cache.ts'
