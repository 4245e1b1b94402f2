import { Executor } from '#contracts'
import { boolean, booleanCondition, config, duration, integer, object, ref } from '#schema'

/** The field `retries`. */
export const RETRIES_FIELD = object({
  enabled: config(boolean()).default(true).meta({ description: 'Whether requests are retried.' }),
  condition: booleanCondition().default('${false}').meta({
    description:
      'Evaluated for each response. True: the request is sent again. By default only requests without a response are retried.',
  }),
  runtimeExceptionCondition: booleanCondition().default('${true}').meta({
    description: 'Evaluated where no response arrived. False: the request is not sent again.',
  }),
  executor: ref(Executor)
    .default('ScheduledExecutorService')
    .meta({ description: 'Service that schedules the retries.' }),
  count: config(integer({ min: 0 }))
    .default(5)
    .meta({ description: 'Maximum number of retries of a request, for any reason.' }),
  delay: config(duration({ unlimited: false }))
    .default('10 seconds')
    .meta({ description: 'Delay before each retry.' }),
})
  .optional()
  .meta({
    description:
      'Retries requests without a response, or with one that the condition selects. Without it there are no retries.',
  })
