import type { ThrottlingDecision, ThrottlingRate, ThrottlingStore } from '#contracts'
import type { BucketTable } from '#resilience'
import type { Environment } from '#schema'

/** Counts a request; null where the store fails. */
export type Count = (
  partition: string,
  rate: ThrottlingRate,
) => ThrottlingDecision | null | Promise<ThrottlingDecision | null>

/** Counts in the memory of the gateway. */
export function localCounting(table: BucketTable): Count {
  return (partition, rate) => table.take(partition, rate)
}

interface StoreSettings {
  readonly store: ThrottlingStore
  readonly local: Count
  readonly onStoreFailure: 'LOCAL' | 'DENY'
  readonly labels: Readonly<Record<string, string>>
}

/**
 * Counts in a store, and by `onStoreFailure` while the store fails. The store itself logs its outages. Requests admitted by the store
 * are counted in the local buckets too, so that an outage or a timeout does not grant a second quota.
 */
export function storeCounting({ store, local, onStoreFailure, labels }: StoreSettings, env: Environment): Count {
  const { metrics, clock, name } = env
  const seconds = metrics.summary('gw_throttling_store_seconds', 'Time until the store has answered.', labels)
  const failures = metrics.counter('gw_throttling_store_failures_total', 'Requests the store did not count.', labels)
  return async (partition, rate) => {
    const start = clock.monotonic()
    try {
      const decision = await store.take(name, partition, rate)
      seconds.observe((clock.monotonic() - start) / 1_000)
      if (decision.admitted && onStoreFailure === 'LOCAL') local(partition, rate)
      return decision
    } catch {
      failures.add()
      return onStoreFailure === 'LOCAL' ? local(partition, rate) : null
    }
  }
}
