import { failureResponse, logFailure, UpstreamError } from '#client'
import { faultOrigin } from '#contracts'
import { BodyTooLargeError, type Exchange, type Handler, type Response, respond } from '#http'
import type { Logger } from '#logging'
import { EVENTS } from './log-events.ts'
import type { RouteMetrics } from './route-metrics.ts'

/**
 * Catches errors of a route. Expected outcomes are responses; a throw is counted and logged
 * once. An upstream failure keeps its status, whatever handler threw it (decisions 13); any other error is a
 * fault and answered with a 500 without details (threats B86, B91).
 */
export function routeBoundary(handler: Handler, metrics: RouteMetrics, logger: Logger): Handler {
  return async (exchange) => {
    const enteredAt = metrics.entered()
    let response: Response
    try {
      response = (await handler(exchange)) ?? unhandled(exchange, metrics, logger)
    } catch (error) {
      response = fault(error, exchange, metrics, logger)
    }
    metrics.answered(response, enteredAt)
    return response
  }
}

function unhandled(exchange: Exchange, metrics: RouteMetrics, logger: Logger): Response {
  metrics.unhandled()
  logger.limited().error(exchange.ids, EVENTS.NO_RESPONSE)
  exchange.decided({ result: 'FAILED', by: logger.name ?? '', reason: EVENTS.NO_RESPONSE.code })
  return respond(500)
}

function fault(error: unknown, exchange: Exchange, metrics: RouteMetrics, logger: Logger): Response {
  if (error instanceof BodyTooLargeError) return respond(error.status)
  const { ids } = exchange
  if (exchange.aborted) {
    logger.debug({ error, ...ids }, 'the client closed the connection')
    return respond(500)
  }
  metrics.failed()
  const origin = faultOrigin(error)
  const named = origin === null ? logger : logger.child({ logger: origin })
  const fields = { route: logger.name, ...ids }
  if (error instanceof UpstreamError && error.isOutcome) {
    logFailure(error, fields, named)
    exchange.decided({ result: 'FAILED', by: named.name ?? '', reason: error.code })
    return failureResponse(error)
  }
  named.limited(ids.transactionId).error({ error, ...fields }, EVENTS.REQUEST_FAILED)
  exchange.decided({ result: 'FAILED', by: named.name ?? '', reason: codeOf(error) ?? EVENTS.REQUEST_FAILED.code })
  return respond(500)
}

function codeOf(error: unknown): string | null {
  const code = error instanceof Error ? (error as { code?: unknown }).code : null
  return typeof code === 'string' ? code : null
}
