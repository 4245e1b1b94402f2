import { faultOrigin } from '#contracts'
import { BodyTooLargeError, type Exchange, type Handler, type Response, respond } from '#http'
import type { Logger } from '#logging'
import type { RouteMetrics } from './route-metrics.ts'

/**
 * The edge of a route: what was thrown inside ends here. Expected outcomes are responses; a throw is a fault,
 * counted and logged once, and answered with a 500 that says nothing of the inside (threats B86, B91).
 */
export function guarded(handler: Handler, metrics: RouteMetrics, logger: Logger): Handler {
  return async (exchange) => {
    const enteredAt = metrics.entered()
    const response = await answer(handler, exchange, metrics, logger)
    metrics.answered(response, enteredAt)
    return response
  }
}

async function answer(handler: Handler, exchange: Exchange, metrics: RouteMetrics, logger: Logger): Promise<Response> {
  try {
    const response: Response | null | undefined = await handler(exchange)
    if (response) return response
    metrics.unhandled()
    logger.error({ transactionId: exchange.transactionId.value }, 'the handler gave no response')
    return respond(500)
  } catch (error) {
    if (error instanceof BodyTooLargeError) return respond(413)
    if (exchange.aborted) {
      logger.debug({ error, transactionId: exchange.transactionId.value }, 'the client went away')
    } else {
      metrics.failed()
      const origin = faultOrigin(error)
      const named = origin === null ? logger : logger.child({ logger: origin })
      named.error({ error, route: logger.name, transactionId: exchange.transactionId.value }, 'the request failed')
    }
    return respond(500)
  }
}
