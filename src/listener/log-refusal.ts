import type { Exchange, RequestOutcome } from '#http'
import type { Logger } from '#logging'

/** Logs which object refused a request, and why. */
export function logRefusal(logger: Logger, exchange: Exchange, { response }: RequestOutcome): void {
  const decision = exchange.audit?.decision ?? null
  if (decision === null || decision.result === 'GRANTED') return
  const { by: object, reason } = decision
  const route = exchange.audit?.routeId
  logger.debug({ object, reason, status: response?.status, route, ...exchange.ids }, 'request refused')
}
