import { Executor } from '#contracts'
import { boolean, config, defineType, duration, integer } from '#schema'
import { EVENTS } from '../log-events.ts'
import { TaskTimers } from './task-timers.ts'

const MAX_GRACE = 3_600_000

/** Runs the background tasks of other objects. */
export const ScheduledExecutorService = defineType({
  name: 'ScheduledExecutorService',
  kind: Executor,
  summary: 'Runs background tasks of other objects, such as clearing caches and delayed retries.',
  events: [EVENTS.TASK_FAILED],
  config: {
    corePoolSize: config(integer({ min: 1 }))
      .default(1)
      .meta({
        description: 'Number of threads in a pool.',
        unsupported: 'tasks take turns on the thread of their unit and never wait for a free one, so there is no pool',
      }),
    gracefulStop: config(boolean())
      .default(true)
      .meta({ description: 'Whether running tasks may finish when the service stops.' }),
    gracePeriod: config(duration()).default('10 seconds').meta({
      description:
        'Maximum wait for running tasks; zero does not wait. More than one hour causes a warning, and one hour is used.',
    }),
  },
  check: ({ gracefulStop, gracePeriod }, _report, warn) => {
    if (gracefulStop && gracePeriod > MAX_GRACE)
      warn('a stop of the gateway waits for gracePeriod: one hour is used in place of more', '/gracePeriod')
  },
  create: ({ gracefulStop, gracePeriod }, env) => {
    const timers = new TaskTimers((error) => env.logger.error({ error }, EVENTS.TASK_FAILED))
    const wait = gracefulStop ? Math.min(gracePeriod, MAX_GRACE) : 0
    env.onDispose(() => timers.stop(wait))
    return timers
  },
})
