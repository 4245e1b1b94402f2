import { type OpenSession, SessionCookieContext, type SessionManager } from '#contracts'
import type { Exchange, Handler, Response } from '#http'

/**
 * Gives requests the session that a manager keeps, and saves it when the response leaves (spec, Route, session rules).
 * Without a manager, the session around the handler stays.
 */
export function withSession(manager: SessionManager | undefined, handler: Handler): Handler {
  if (manager === undefined) return handler
  return (exchange) => {
    const opened = manager.open(exchange)
    return opened instanceof Promise ? opened.then((open) => handled(open, exchange)) : handled(opened, exchange)
  }

  async function handled(open: OpenSession, exchange: Exchange): Promise<Response> {
    const inside = exchange.withSession(open.session)
    const response = await handler(open.cookie === null ? inside : inside.with(SessionCookieContext, open.cookie))
    // A handler that gave no response is the route's business to answer; there is nothing to put a cookie on.
    const saving = response === null || response === undefined ? undefined : open.save(response)
    if (saving !== undefined) await saving
    return response
  }
}
