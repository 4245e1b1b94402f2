import { Executor } from '#contracts'
import { boolean, config, duration, integer, object, ref, runtime } from '#schema'

/** The field `retries`. */
export const RETRIES_FIELD = object({
  enabled: config(boolean()).default(true).meta({ description: 'Whether requests are retried.' }),
  condition: runtime('boolean').default('${false}').meta({
    description:
      'Asked about each response. True: it is a failure, and the request is sent again. False: only a request that got no answer is.',
  }),
  executor: ref(Executor)
    .default('ScheduledExecutorService')
    .meta({ description: 'Service that waits for the delay.' }),
  count: config(integer({ min: 0 }))
    .default(5)
    .meta({ description: 'How often one request is sent again at most, for whatever reason.' }),
  delay: config(duration({ unlimited: false }))
    .default('10 seconds')
    .meta({ description: 'Wait before each retry.' }),
})
  .optional()
  .meta({ description: 'Sends requests again that got no answer, or not the right one. Not set: no retries.' })
