import { UpstreamError } from '#client'
import { type Executor, matches, type RequestCondition, type Send, TriedServers } from '#contracts'
import type { Exchange } from '#http'
import type { Logger } from '#logging'
import type { Attempt, Outcome } from '../circuit-breaker/circuit-breaker.ts'
import { isFailure } from '../circuit-breaker/failure.ts'
import { EVENTS } from '../log-events.ts'
import { bufferForReplay, mayRetryAfter } from './replay.ts'
import type { RetryDelays } from './retry-delays.ts'

export interface RetrySettings {
  readonly enabled: boolean
  readonly condition: RequestCondition
  /** Evaluated where no response arrived. */
  readonly runtimeExceptionCondition: RequestCondition
  readonly executor: Executor
  readonly count: number
  /** Milliseconds. */
  readonly delay: number
}

/** Repeats a request while it fails, within `count` and where a repetition is safe. */
export function withRetries(
  send: Send,
  settings: Pick<RetrySettings, 'condition' | 'runtimeExceptionCondition' | 'count' | 'delay'>,
  delays: RetryDelays,
  logger: Logger,
): Attempt {
  const { condition, runtimeExceptionCondition, count, delay } = settings
  const responsesMayFail = !isNever(condition)

  const attempt = async (exchange: Exchange, tried: TriedServers): Promise<Outcome | { readonly error: unknown }> => {
    try {
      const response = await send(exchange, tried)
      return { response, failed: responsesMayFail && (await matches(condition, exchange, response, logger)) }
    } catch (error) {
      return { error }
    }
  }

  return async (exchange) => {
    const replayable = await bufferForReplay(exchange, responsesMayFail)
    const tried = new TriedServers()
    const pause = (): Promise<void> => (tried.hasOther ? Promise.resolve() : delays.wait(exchange, delay))
    for (let retries = 0; ; retries++) {
      const result = await attempt(exchange, tried)
      const fields = () => ({ retries, upstream: exchange.request.uri.origin, ...exchange.ids })
      if ('error' in result) {
        const { error } = result
        const mayRetry = retries < count && mayRetryAfter(error, exchange, replayable)
        if (mayRetry && (await matches(runtimeExceptionCondition, exchange, null, logger))) {
          await pause()
          continue
        }
        if (retries > 0 && isFailure(error, exchange)) {
          limited(logger, exchange).warn({ ...fields(), error }, EVENTS.RETRIES_FAILED)
          if (error instanceof UpstreamError) error.isLogged = true
        }
        throw error
      }
      if (!result.failed) {
        if (retries > 0) logger.debug(fields(), 'a retry succeeded')
        return result
      }
      if (retries < count && replayable) {
        // Before the delay, so that the connection is not kept open during it.
        result.response.body.cancel()
        await pause()
        continue
      }
      const { status } = result.response
      if (retries > 0) limited(logger, exchange).warn({ ...fields(), status }, EVENTS.RETRIES_FAILED)
      return result
    }
  }
}

/** Up to 16 requests, and the first of each server beside them. */
function limited(logger: Logger, { transactionId, request }: Exchange): ReturnType<Logger['limited']> {
  return logger.limited(transactionId.value, undefined, request.uri.origin)
}

/** Whether a condition is the literal false, the default: it is then not evaluated. */
function isNever({ expression }: RetrySettings['condition']): boolean {
  if (expression.constant) return expression.evaluate({ lookup: () => undefined }) !== true
  const [only, ...others] = expression.segments
  return others.length === 0 && typeof only === 'object' && only.type === 'literal' && only.value === false
}
