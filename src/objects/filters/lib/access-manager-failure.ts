import { AccessManagerError } from '#contracts'
import { type Response, respond, respondUnavailable } from '#http'
import type { LogEvent } from '#logging'
import { recordFailed } from '../../lib/audit/decisions.ts'
import { EVENTS } from '../log-events.ts'
import type { FlowState } from './flow.ts'

/** What a filter could not get from the access manager. */
interface Missing {
  readonly event: LogEvent
  /** Reason of the decision; null where the steps of the filter record it. */
  readonly reason: string | null
  readonly text?: string
}

/**
 * Response to a request for which the access manager could not be asked: 503, or 500 where only another configuration helps. Fails
 * closed; other errors are thrown again.
 */
export function accessManagerFailed(error: unknown, state: FlowState, { event, reason, text }: Missing): Response {
  if (!(error instanceof AccessManagerError)) throw error
  const response = error.reason === 'misconfigured' ? respond(500) : respondUnavailable(text)
  const outcome = event.withMessage(`${event.message}: requests of this route get ${response.status}`)
  return failed(error, state, outcome, reason, response)
}

/** Response to a request whose session could not be looked up. */
export function sessionLookupFailed(error: unknown, state: FlowState): Response {
  if (!(error instanceof AccessManagerError)) throw error
  return failed(error, state, EVENTS.SESSION_LOOKUP_FAILED, 'session lookup failed', respondUnavailable())
}

function failed(
  error: AccessManagerError,
  { exchange, logger }: FlowState,
  event: LogEvent,
  reason: string | null,
  response: Response,
): Response {
  logger.limited().error({ error, ...exchange.ids }, event)
  if (reason !== null) recordFailed(exchange, logger, reason)
  return response
}
