export { BriefMemory } from './brief-memory.ts'
export { type CacheCounters, cacheCounters } from './cache-counters.ts'
export { type Answer, type DisconnectionStrategy, NotAsked, RevocableCache } from './revocable-cache.ts'
