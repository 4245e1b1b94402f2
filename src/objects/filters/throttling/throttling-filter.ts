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
import { checkRate, rateField } from '../../lib/rate-fields.ts'
import { EVENTS } from '../log-events.ts'
import { localCounting, storeCounting } from './counting.ts'
import { throttle } from './throttle.ts'

/** Limits how often requests are let through. */
export const ThrottlingFilter = defineType({
  name: 'ThrottlingFilter',
  kind: FilterKind,
  summary: 'Lets through so many requests of a client, or of any group, in a time; further ones get 429.',
  config: {
    requestGroupingPolicy: runtime('string').default('').meta({
      description:
        'Says which partition a request counts in, such as `${contexts.client.remoteAddress}`. By default all requests count together. Null or a failure is a fault (500).',
    }),
    rate: rateField().optional().meta({ description: 'The rate of each partition.' }),
    throttlingRatePolicy: ref(ThrottlingPolicyKind)
      .optional()
      .meta({ description: 'Policy that chooses the rate of a request; where it gives none, nothing is limited.' }),
    cleaningInterval: config(duration({ zero: false, max: '1 day' }))
      .default('5 seconds')
      .meta({ description: 'How often partitions that are not used any more are forgotten.' }),
    executor: ref(Executor)
      .default('ScheduledExecutorService')
      .meta({ description: 'Service that cleans partitions up.' }),
    maxPartitions: config(integer({ min: 1, max: 10_000_000 }))
      .default(1_000_000)
      .meta({
        description:
          'Partitions that have room at a time, 50 bytes each; further ones share one bucket of their rate until there is room.',
      }),
    rateLimitHeaders: config(boolean())
      .default(false)
      .meta({ description: 'Whether responses tell clients what is left, in `RateLimit` and `RateLimit-Policy`.' }),
    store: ref(ThrottlingStoreKind).optional().meta({
      description: 'Where requests are counted for several gateways together; by default each gateway counts its own.',
    }),
    onStoreFailure: config(oneOf(['LOCAL', 'DENY']))
      .default('LOCAL')
      .meta({
        description:
          'What happens while the store can not be used: LOCAL counts in this gateway, DENY answers with 503.',
      }),
  },
  rules: [exactlyOneOf('rate', 'throttlingRatePolicy'), needs('onStoreFailure', 'store')],
  check: ({ rate }, report) => checkRate(rate, '/rate', report),
  create: async (values, env) => {
    const { rate, throttlingRatePolicy, store, onStoreFailure, maxPartitions } = values
    const policy: ThrottlingPolicy = throttlingRatePolicy ?? { rateFor: () => rate ?? null }
    const size = { maxPartitions }
    const table = new BucketTable(await env.shared('buckets', BucketTable.bytes(size)), size, env.clock)
    keepClean(table, values, env)
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
    })
  },
})

/** The heap that the filter stands in: a route, or the gateway. */
function routeOf({ name, localName }: Environment): string {
  const heap = name.endsWith(`+${localName}`) ? name.slice(0, -localName.length - 1) : name
  return heap.slice(heap.lastIndexOf('+') + 1)
}

interface CleaningValues {
  readonly executor: Executor
  readonly cleaningInterval: number
}

function keepClean(table: BucketTable, { executor, cleaningInterval }: CleaningValues, env: Environment): void {
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
