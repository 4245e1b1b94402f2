import { type Exchange, type Handler, pageResponse, type Response, respondUnavailable } from '#http'
import type { LogEvent, Logger } from '#logging'
import {
  type OpenSession,
  type SessionManager,
  SessionTooLargeError,
  SessionUnavailableError,
} from './session-manager.ts'

/**
 * Loads the session before the handler runs, and saves it before the response is sent (spec, Route, session rules).
 * Without a manager, the handler uses the session of the enclosing context. `notSaved` is logged for a session that is too large.
 */
export function withSession(
  manager: SessionManager | undefined,
  handler: Handler,
  logger: Logger,
  notSaved: LogEvent,
): Handler {
  if (manager === undefined) return handler
  return (exchange) => {
    const opened = manager.open(exchange)
    if (!(opened instanceof Promise)) return handled(opened, exchange)
    return opened.then(
      (open) => handled(open, exchange),
      (error: unknown) => unavailable(error, exchange),
    )
  }

  async function handled(open: OpenSession, exchange: Exchange): Promise<Response> {
    const response = await handler(exchange.withSession(open.session))
    // The route boundary answers for a handler without a response: there is no response to set a cookie on.
    const saving = response === null || response === undefined ? undefined : open.save(response)
    if (saving === undefined) return response
    try {
      await saving
      return response
    } catch (error) {
      // A failed save must not look like a successful login or logout.
      const instead = error instanceof SessionTooLargeError ? tooLarge(error, exchange) : unavailable(error, exchange)
      response.body.cancel()
      return instead
    }
  }

  function tooLarge(error: SessionTooLargeError, exchange: Exchange): Response {
    const { ids } = exchange
    const { transactionId } = ids
    logger.limited(error.code).error({ reason: error.message, ...ids }, notSaved)
    const text = 'Your session is too large to be saved. The operators of this site find the reason in the log.'
    return pageResponse(500, { title: 'Your session can not be saved', text, link: null, transactionId })
  }

  function unavailable(error: unknown, exchange: Exchange): Response {
    if (!(error instanceof SessionUnavailableError)) throw error
    exchange.decided({ result: 'FAILED', by: logger.name ?? '', reason: 'the session store is unavailable' })
    return respondUnavailable()
  }
}
