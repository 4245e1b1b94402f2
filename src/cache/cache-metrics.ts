import type { Counter, Environment, Gauge } from '#schema'

/** Metrics of one cache. */
export interface CacheMetrics {
  readonly hits: Counter
  readonly misses: Counter
  readonly entries: Gauge
  readonly evictions: Readonly<Record<Eviction, Counter>>
}

/** Reason of a removal. */
export type Eviction = 'revoked' | 'cleared' | 'size' | 'expired'

const EVICTIONS: readonly Eviction[] = ['revoked', 'cleared', 'size', 'expired']

/** Names of the metrics of a cache. */
export const CACHE_METRICS: readonly string[] = [
  'gw_cache_hits_total',
  'gw_cache_misses_total',
  'gw_cache_entries',
  'gw_cache_evictions_total',
]

/** The metrics of the cache of one object; `cache` names its content. */
export function cacheMetrics(cache: string, { metrics, name }: Pick<Environment, 'metrics' | 'name'>): CacheMetrics {
  const labels = { cache, name }
  const eviction = (reason: Eviction) =>
    metrics.counter('gw_cache_evictions_total', 'Entries removed from a cache.', { ...labels, reason })
  return {
    hits: metrics.counter('gw_cache_hits_total', 'Lookups answered from a cache.', labels),
    misses: metrics.counter('gw_cache_misses_total', 'Lookups that a cache could not answer.', labels),
    entries: metrics.gauge('gw_cache_entries', 'Entries in a cache.', labels),
    evictions: Object.fromEntries(EVICTIONS.map((reason) => [reason, eviction(reason)])) as Record<Eviction, Counter>,
  }
}
