import { Executor, FilterKind, type ThrottlingPolicy, ThrottlingPolicyKind, ThrottlingStoreKind } from '#contracts'
import { BucketTable } from '#resilience'
import {
  boolean,
  config,
  defineType,
  duration,
  type Environment,
  exactlyOneOf,
  integer,
  needs,
  oneOf,
  ref,
  runtime,
} from '#schema'
import { checkRate, rateField } from '../../lib/limits/rate-fields.ts'
import { EVENTS } from '../log-events.ts'
import { localCounting, storeCounting } from './counting.ts'
import { throttle } from './throttle.ts'

/** Limits the rate of requests. */
export const ThrottlingFilter = defineType({
  name: 'ThrottlingFilter',
  kind: FilterKind,
  summary: 'Limits the request rate of each partition; further requests get 429.',
  metrics: [
    'gw_throttling_admitted_total',
    'gw_throttling_overflow_total',
    'gw_throttling_partitions',
    'gw_throttling_refused_total',
    'gw_throttling_store_failures_total',
    'gw_throttling_store_seconds',
  ],
  events: [EVENTS.PARTITIONS_FULL],
  config: {
    requestGroupingPolicy: runtime('string').default('').meta({
      description:
        'Partition of a request, such as `${contexts.client.remoteAddress}`. By default all requests are one partition. Null or a failure is a fault (500).',
    }),
    rate: rateField().optional().meta({ description: 'The rate of each partition.' }),
    throttlingRatePolicy: ref(ThrottlingPolicyKind)
      .optional()
      .meta({ description: 'Policy that returns the rate of a request; without a rate the request is not limited.' }),
    cleaningInterval: config(duration({ zero: false, max: '1 day' }))
      .default('5 seconds')
      .meta({ description: 'Interval at which unused partitions are removed.' }),
    executor: ref(Executor)
      .default('ScheduledExecutorService')
      .meta({ description: 'Service that removes unused partitions.' }),
    maxPartitions: config(integer({ min: 1, max: 10_000_000 }))
      .default(1_000_000)
      .meta({
        description:
          'Partitions that have a bucket of their own at a time, 50 bytes each; beyond the room of the table, which is up to four times as large, they share one bucket of their rate until others are removed.',
      }),
    rateLimitHeaders: config(boolean())
      .default(false)
      .meta({ description: 'Whether responses have the remaining quota, in `RateLimit` and `RateLimit-Policy`.' }),
    store: ref(ThrottlingStoreKind).optional().meta({
      description:
        'Store that shares counts between several gateways; by default each gateway counts its own requests.',
    }),
    onStoreFailure: config(oneOf(['LOCAL', 'DENY']))
      .default('LOCAL')
      .meta({
        description: 'Behaviour while the store is unavailable: LOCAL counts in this gateway, DENY responds 503.',
      }),
  },
  rules: [exactlyOneOf('rate', 'throttlingRatePolicy'), needs('onStoreFailure', 'store')],
  check: ({ rate }, report) => checkRate(rate, '/rate', report),
  create: async (values, env) => {
    const { rate, throttlingRatePolicy, store, onStoreFailure, maxPartitions } = values
    const policy: ThrottlingPolicy = throttlingRatePolicy ?? { rateFor: () => rate ?? null }
    const size = { maxPartitions }
    const table = new BucketTable(await env.shared('buckets', BucketTable.bytes(size)), size, env.clock)
    scheduleCleaning(table, values, env)
    const labels = { name: env.name, route: routeOf(env) }
    const local = localCounting(table)
    const count = store === undefined ? local : storeCounting({ store, local, onStoreFailure, labels }, env)
    const { metrics } = env
    metrics.reading('gw_throttling_partitions', 'Partitions that are counted now.', {
      labels,
      read: () => table.partitions,
      merge: 'max',
    })
    return throttle({
      partitionOf: values.requestGroupingPolicy,
      policy,
      count,
      tellsRemaining: values.rateLimitHeaders,
      admitted: metrics.counter('gw_throttling_admitted_total', 'Requests that were let through.', labels),
      refused: metrics.counter('gw_throttling_refused_total', 'Requests that were too many.', labels),
      env,
    })
  },
})

/** The heap of the filter: that of a route, or of the gateway. */
function routeOf({ name, localName }: Environment): string {
  const heap = name.endsWith(`+${localName}`) ? name.slice(0, -localName.length - 1) : name
  return heap.slice(heap.lastIndexOf('+') + 1)
}

interface CleaningValues {
  readonly executor: Executor
  readonly cleaningInterval: number
}

function scheduleCleaning(table: BucketTable, { executor, cleaningInterval }: CleaningValues, env: Environment): void {
  const overflows = env.metrics.counter(
    'gw_throttling_overflow_total',
    'Requests of partitions without room, which were counted together.',
    { name: env.name, route: routeOf(env) },
  )
  let exported = 0
  const clean = async (): Promise<void> => {
    const requests = table.overflows - exported
    exported += requests
    if (requests > 0) {
      overflows.add(requests)
      env.logger.warn({ requests }, EVENTS.PARTITIONS_FULL)
    }
    await table.clean(cleaningInterval, () => new Promise((resolve) => setImmediate(resolve)))
  }
  env.onDispose(executor.repeat(cleaningInterval, clean))
}
