import type { AccessTokenResolver, TokenResolution } from '#contracts'
import type { Exchange } from '#http'
import type { Environment } from '#schema'
import type { TimeUnit } from './time-unit.ts'
import { about, inUnit } from './timed-entry.ts'

/** A resolver with timed resolutions; synchronous ones stay synchronous. */
export function timedResolver(
  inner: AccessTokenResolver,
  unit: TimeUnit,
  { clock, logger }: Pick<Environment, 'clock' | 'logger'>,
): AccessTokenResolver {
  if (!logger.isEnabled('info')) return inner
  const tell = (exchange: Exchange, start: number, outcome: string) => {
    const total = inUnit(clock.monotonic() - start, unit)
    logger.info({ ...about(exchange, outcome), elapsed: { total }, timeUnit: unit.name }, 'timer')
  }
  const awaited = async (answer: Promise<TokenResolution>, exchange: Exchange, start: number) => {
    let outcome = 'failed'
    try {
      const resolution = await answer
      outcome = resolution.outcome
      return resolution
    } finally {
      tell(exchange, start, outcome)
    }
  }
  return {
    ...(inner.schemes !== undefined && { schemes: inner.schemes }),
    ...(inner.accessManagers !== undefined && { accessManagers: inner.accessManagers }),
    ...(inner.admit !== undefined && { admit: inner.admit.bind(inner) }),
    ...(inner.verifiesBinding !== undefined && { verifiesBinding: inner.verifiesBinding.bind(inner) }),
    ...(inner.watch !== undefined && { watch: inner.watch.bind(inner) }),
    resolve(token, exchange) {
      const start = clock.monotonic()
      const answer = inner.resolve(token, exchange)
      if (answer instanceof Promise) return awaited(answer, exchange, start)
      tell(exchange, start, answer.outcome)
      return answer
    },
  }
}
