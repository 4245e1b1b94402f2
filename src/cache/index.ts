export { BriefMemory } from './brief-memory.ts'
export { type CacheCounters, cacheCounters } from './cache-counters.ts'
export { CachedValue } from './cached-value.ts'
export { type Answer, type DisconnectionStrategy, NotAsked, RevocableCache } from './revocable-cache.ts'
