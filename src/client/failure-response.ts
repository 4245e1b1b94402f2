import { type Handler, type Response, reasonPhrase, respond } from '#http'
import type { Logger } from '#logging'
import { EVENTS } from './log-events.ts'
import { dropReservedCookies } from './reserved-cookies.ts'
import { UpstreamError } from './upstream-error.ts'

const LOOP = `${reasonPhrase(508)}: the request would be sent back to this gateway; set baseURI of the route to the application`

/** Seconds after which a server may be usable again. */
const RETRY_AFTER = '5'

/** Names the failure without host, port and cause, which are logged only (threats B86). */
export function failureResponse(error: UpstreamError): Response {
  const headers = error.code === 'GW_UPSTREAM_NO_SERVER' ? { 'Retry-After': RETRY_AFTER } : {}
  const response = respond(error.status, headers, error.code === 'GW_UPSTREAM_LOOP' ? LOOP : reasonPhrase(error.status))
  response.cause = error
  return response
}

/** Logs a failure, once. */
export function logFailure(error: UpstreamError, fields: Readonly<Record<string, unknown>>, logger: Logger): void {
  if (error.isLogged) return
  error.isLogged = true
  // Failures caused by clients are not logged as warnings: clients could flood the log.
  const isClientFailure = error.code === 'GW_CLIENT_GONE' || error.code === 'GW_REQUEST_BODY'
  // Routes share handlers: a server that fails for every request must not hide that another fails, or fails for another reason.
  const subject = `${fields['upstream'] ?? ''} ${error.code}`
  if (isClientFailure) logger.debug({ error, ...fields }, 'incomplete request')
  else logger.limited(fields['transactionId'], undefined, subject).warn({ error, ...fields }, EVENTS.UPSTREAM_FAILED)
}

/** Converts upstream failures to responses, and removes cookies of the gateway from others; other errors are rethrown. */
export function withFailureResponses(handler: Handler, logger: Logger): Handler {
  return async (exchange) => {
    try {
      return dropReservedCookies(await handler(exchange), exchange, logger)
    } catch (error) {
      if (!(error instanceof UpstreamError && error.isOutcome)) throw error
      logFailure(error, { upstream: error.origin ?? exchange.request.uri.origin, ...exchange.ids }, logger)
      exchange.decided({ result: 'FAILED', by: logger.name ?? '', reason: error.code })
      return failureResponse(error)
    }
  }
}
