import { cacheMetrics, type DisconnectionStrategy, type Invalidation, RevocableCache } from '#cache'
import { Executor } from '#contracts'
import { config, type Environment, integer, oneOf, ref } from '#schema'

/** Default of `maximumSize`, also of caches without the field. */
export const DEFAULT_SIZE = 100_000

const SWEEP_INTERVAL = 10_000

/** The field `maximumSize` of caches. */
export function maximumSizeField(entries: string, size = DEFAULT_SIZE) {
  return config(integer({ min: 1 }))
    .default(size)
    .meta({
      description: `Maximum of cached ${entries} in the whole gateway; each unit gets an even share. The least recently used is evicted.`,
    })
}

/** The field `executor` of caches. */
export const sweeperField = (entries: string) =>
  ref(Executor)
    .default('ScheduledExecutorService')
    .meta({ description: `Service that removes expired ${entries} from the cache.` })

/** The field `onNotificationDisconnection` of caches. */
export const strategyField = (entries: string, limits = '') =>
  config(oneOf(['NEVER_CLEAR', 'CLEAR_ON_DISCONNECT', 'CLEAR_ON_RECONNECT'] satisfies DisconnectionStrategy[]))
    .default('CLEAR_ON_DISCONNECT')
    .meta({
      description: `Behaviour while notifications are disconnected: requests with other ${entries} than cached ones are rejected until the connection is restored; cached ${entries} stay in the cache (NEVER_CLEAR), are removed at once (CLEAR_ON_DISCONNECT) or when the connection is restored (CLEAR_ON_RECONNECT).${limits}`,
    })

/** Maximum of cached entries in one unit. */
export function unitSize(maximumSize: number, { units }: Pick<Environment, 'units'>): number {
  return Math.ceil(maximumSize / units)
}

interface CacheSettings {
  /** In the whole gateway. */
  readonly maximumSize: number
  readonly executor: Executor
  /** Called whenever expired entries were removed. */
  readonly onSweep?: () => void
}

/** Opens the cache of an object; `content` names it in metrics. Expired entries are removed until the object is disposed. */
export function openCache<V extends object>(
  content: string,
  { maximumSize, executor, onSweep }: CacheSettings,
  invalidation: Invalidation | null,
  env: Environment,
): RevocableCache<V> {
  const metrics = cacheMetrics(content, env)
  const cache = new RevocableCache<V>({
    maximumSize: unitSize(maximumSize, env),
    clock: env.clock,
    metrics,
    invalidation,
  })
  env.onDispose(() => cache.dispose())
  const sweep = () => {
    cache.sweep()
    onSweep?.()
  }
  env.onDispose(executor.repeat(SWEEP_INTERVAL, sweep))
  return cache
}
