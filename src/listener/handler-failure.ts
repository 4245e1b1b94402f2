import { faultOrigin } from '#contracts'
import { type Exchange, StatusError } from '#http'
import { EVENTS } from './log-events.ts'

/** The status for a request whose handler failed. The failure is recorded as that of the object that threw, as in routes. */
export function failureStatus(error: unknown, exchange: Exchange): number {
  const isExpected = error instanceof StatusError
  const reason = isExpected ? error.code : EVENTS.HANDLER_FAILED.code
  exchange.decided({ result: 'FAILED', by: faultOrigin(error) ?? 'listener', reason })
  return isExpected ? error.status : 500
}
