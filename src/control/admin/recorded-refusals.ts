import { crestError } from '#crest'
import type { Exchange, Handler, Response } from '#http'

/** The object of decisions of the management API. */
const MANAGEMENT = 'admin'
const DENIED: ReadonlySet<number> = new Set([401, 403, 429])

/** Reasons of responses, by which they are recorded if they are sent: another part may respond in their place. */
const REASONS = new WeakMap<Response, string>()

/** Names the reason of a response; it contains no data of the request. */
export function because(reason: string, response: Response): Response {
  REASONS.set(response, reason)
  return response
}

/** An error whose message is also the reason in the access event. */
export function refusal(status: number, message: string, headers: Record<string, string> = {}): Response {
  return because(message, crestError(status, message, headers))
}

/** Records a refusal for the access event. */
export function recordRefusal(exchange: Exchange, reason: string): void {
  exchange.decided({ result: 'DENIED', by: MANAGEMENT, reason })
}

/** Records each 401, 403, 429 and 503 as a decision for the access event; one that a filter recorded stays. */
export function recordRefusals(handler: Handler): Handler {
  return async (exchange) => {
    const response = await handler(exchange)
    const { status } = response
    const isDenied = DENIED.has(status)
    if (exchange.audit === null || (!isDenied && status !== 503)) return response
    const { decision } = exchange.audit
    const reason = REASONS.get(response)
    // Messages of collections may quote data of the request.
    if (reason === undefined && decision !== null && decision.result !== 'GRANTED') return response
    const otherwise = isDenied ? 'the management API refused the request' : 'the management API can not respond now'
    exchange.decided({ result: isDenied ? 'DENIED' : 'FAILED', by: MANAGEMENT, reason: reason ?? otherwise })
    return response
  }
}
