import { UpstreamError } from '#client'
import { type Executor, passes, type RequestCondition } from '#contracts'
import type { Exchange, Handler } from '#http'
import type { Logger } from '#logging'
import type { Attempt, Outcome } from '../circuit-breaker/circuit-breaking.ts'
import { isFailure } from '../circuit-breaker/failure.ts'
import { EVENTS } from '../log-events.ts'
import type { Pauses } from './pauses.ts'
import { keepForReplay, mayRepeatAfter } from './replay.ts'

/** How requests are sent again. */
export interface RetrySettings {
  readonly enabled: boolean
  readonly condition: RequestCondition
  readonly executor: Executor
  readonly count: number
  /** Milliseconds. */
  readonly delay: number
}

/** Sends a request again while it fails, as often as the settings say and as it can do no harm. */
export function retrying(
  send: Handler,
  { condition, count, delay }: Pick<RetrySettings, 'condition' | 'count' | 'delay'>,
  pauses: Pauses,
  logger: Logger,
): Attempt {
  const responsesMayAsk = !isNever(condition)

  const attempt = async (exchange: Exchange): Promise<Outcome | { readonly error: unknown }> => {
    try {
      const response = await send(exchange)
      return { response, failed: responsesMayAsk && (await passes(condition, exchange, response, logger)) }
    } catch (error) {
      return { error }
    }
  }

  return async (exchange) => {
    const replayable = await keepForReplay(exchange, responsesMayAsk)
    for (let retries = 0; ; retries++) {
      const result = await attempt(exchange)
      const fields = { retries, upstream: exchange.request.uri.origin, transactionId: exchange.transactionId.value }
      if ('error' in result) {
        const { error } = result
        if (retries < count && mayRepeatAfter(error, exchange, replayable)) {
          await pauses.wait(exchange, delay)
          continue
        }
        if (retries > 0 && isFailure(error, exchange)) {
          logger.limited(fields.transactionId).warn({ ...fields, error }, EVENTS.RETRIES_FAILED)
          if (error instanceof UpstreamError) error.isLogged = true
        }
        throw error
      }
      if (!result.failed) {
        if (retries > 0) logger.debug(fields, 'a retry succeeded')
        return result
      }
      if (retries < count && replayable) {
        // Before the pause: the connection must not wait with the request.
        result.response.body.cancel()
        await pauses.wait(exchange, delay)
        continue
      }
      const { status } = result.response
      if (retries > 0) logger.limited(fields.transactionId).warn({ ...fields, status }, EVENTS.RETRIES_FAILED)
      return result
    }
  }
}

/** Whether a condition is the plain word false, as it is by default: then no response need be asked about. */
function isNever({ expression }: RetrySettings['condition']): boolean {
  if (expression.constant) return expression.evaluate({ lookup: () => undefined }) !== true
  const [only, ...others] = expression.segments
  return others.length === 0 && typeof only === 'object' && only.type === 'literal' && only.value === false
}
