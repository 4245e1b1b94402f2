import { AccessTokenResolverKind, DecoratorKind, FilterKind, HandlerKind } from '#contracts'
import type { Filter, Handler, Response } from '#http'
import { boolean, config, defineDecorator, type Environment, wrap } from '#schema'
import { type TimeUnit, timeUnit } from './time-unit.ts'
import { about, inUnit } from './timed-entry.ts'
import { timedResolver } from './timed-resolver.ts'

/** Logs the processing time of objects. */
export const TimerDecorator = defineDecorator({
  name: 'TimerDecorator',
  kind: DecoratorKind,
  summary: 'Measures and logs the response time of a filter, handler or access token resolver.',
  config: {
    timeUnit: config(timeUnit())
      .default('milliseconds')
      .meta({ description: 'Unit of the logged times: any unit that a duration may have.' }),
  },
  settings: config(boolean()).meta({ description: 'Whether the object is timed.' }),
  create: ({ timeUnit }) => ({
    wraps: {
      AccessTokenResolver: wrap(AccessTokenResolverKind, (inner, timed: boolean, env) =>
        timed ? timedResolver(inner, timeUnit, env) : inner,
      ),
      Filter: wrap(FilterKind, (inner, timed: boolean, env) => (timed ? timedFilter(inner, timeUnit, env) : inner)),
      Handler: wrap(HandlerKind, (inner, timed: boolean, env) => (timed ? timedHandler(inner, timeUnit, env) : inner)),
    },
  }),
})

type Environs = Pick<Environment, 'clock' | 'logger'>

function timedHandler(inner: Handler, unit: TimeUnit, { clock, logger }: Environs): Handler {
  if (!logger.isEnabled('info')) return inner
  return async (exchange) => {
    const start = clock.monotonic()
    return observed(inner(exchange), (outcome) => {
      const total = inUnit(clock.monotonic() - start, unit)
      logger.info({ ...about(exchange, outcome), elapsed: { total }, timeUnit: unit.name }, 'timer')
    })
  }
}

/** Time in the next filters and the handler is separate from the filter's own time. */
function timedFilter(inner: Filter, unit: TimeUnit, { clock, logger }: Environs): Filter {
  if (!logger.isEnabled('info')) return inner
  return async (exchange, next) => {
    const start = clock.monotonic()
    let behind = 0
    const timedNext: Handler = async (downstream) => {
      const called = clock.monotonic()
      return observed(next(downstream), () => {
        behind += clock.monotonic() - called
      })
    }
    return observed(inner(exchange, timedNext), (outcome) => {
      const all = clock.monotonic() - start
      const elapsed = {
        total: inUnit(all, unit),
        // The sum of concurrent calls of a filter may exceed the total time.
        internal: inUnit(Math.max(0, all - behind), unit),
        downstream: inUnit(behind, unit),
      }
      logger.info({ ...about(exchange, outcome), elapsed, timeUnit: unit.name }, 'timer')
    })
  }
}

type Outcome = number | 'failed'

async function observed(answer: Promise<Response>, tell: (outcome: Outcome) => void): Promise<Response> {
  let outcome: Outcome = 'failed'
  try {
    const response = await answer
    outcome = response.status
    return response
  } finally {
    tell(outcome)
  }
}
