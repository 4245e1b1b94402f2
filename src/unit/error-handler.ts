import { GatewayErrorContext } from '#contracts'
import { type Exchange, errorDetail, type Handler, Headers, Request, type Response } from '#http'
import type { Logger } from '#logging'
import { EVENTS } from './log-events.ts'

/** Fields of the request that the handler gets: no credentials, since it may send them to another server. */
const PASSED_ON = ['Host', 'Accept', 'Accept-Language']

/** Fields that describe the content of the replaced response. */
const OF_CONTENT: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
])

/** Makes the content of error responses by a handler. The status stays, as do challenges, cookies and other fields. */
export function errorHandler(handler: Handler, logger: Logger) {
  return async (exchange: Exchange, error: Response): Promise<Response> => {
    try {
      const made = await handler(contextOf(exchange, error))
      // An error of the handler itself.
      if (made.isGenerated) {
        logger.limited().warn({ status: made.status, ...exchange.ids }, EVENTS.ERROR_PAGE_FAILED)
        return error
      }
      return withFieldsOf(error, made)
    } catch (failure) {
      logger.limited(failure).warn({ error: failure, ...exchange.ids }, EVENTS.ERROR_PAGE_FAILED)
      return error
    }
  }
}

function contextOf(exchange: Exchange, error: Response): Exchange {
  const { uri, headers: received } = exchange.request
  const { status, reason } = error
  const headers = new Headers()
  for (const name of PASSED_ON) {
    const value = received.get(name)
    if (value !== null) headers.add(name, value)
  }
  return exchange.withRequest(new Request({ method: 'GET', uri: uri.clone(), headers })).with(GatewayErrorContext, {
    status,
    reason,
    detail: errorDetail(error),
    transactionId: exchange.transactionId.value,
  })
}

function withFieldsOf(error: Response, made: Response): Response {
  made.status = error.status
  made.reason = error.reason
  for (const name of error.headers.names()) {
    if (!OF_CONTENT.has(name.toLowerCase())) made.headers.set(name, error.headers.all(name))
  }
  made.headers.set('Cache-Control', 'no-store')
  return made
}
