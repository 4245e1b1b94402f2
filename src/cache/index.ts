export { cacheMetrics } from './cache-metrics.ts'
export { CachedValue } from './cached-value.ts'
export { type Answer, type DisconnectionStrategy, RevocableCache, Unavailable } from './revocable-cache.ts'
export { TtlCache } from './ttl-cache.ts'
