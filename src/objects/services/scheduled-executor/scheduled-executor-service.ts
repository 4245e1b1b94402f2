import { Executor } from '#contracts'
import { boolean, config, defineType, duration, integer } from '#schema'
import { EVENTS } from '../log-events.ts'
import { TaskTimers } from './task-timers.ts'

/** Runs the background tasks of other objects. */
export const ScheduledExecutorService = defineType({
  name: 'ScheduledExecutorService',
  kind: Executor,
  summary: 'Runs background tasks of other objects, such as clearing caches and delayed retries.',
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
    gracePeriod: config(duration({ unlimited: false, max: '1 hour', because: 'a stop of the gateway waits for it' }))
      .default('10 seconds')
      .meta({ description: 'Maximum wait for running tasks, at most one hour; zero does not wait.' }),
  },
  create: ({ gracefulStop, gracePeriod }, env) => {
    const timers = new TaskTimers((error) => env.logger.error({ error }, EVENTS.TASK_FAILED))
    env.onDispose(() => timers.stop(gracefulStop ? gracePeriod : 0))
    return timers
  },
})
