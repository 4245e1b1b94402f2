import { UpstreamError, type UpstreamErrorCode } from '#client'
import type { Exchange } from '#http'

/** Failures caused by the client or the configuration. Not counted, so that a client can not open the circuit. */
const NOT_OF_THE_UPSTREAM: ReadonlySet<UpstreamErrorCode> = new Set([
  'GW_CLIENT_GONE',
  'GW_REQUEST_BODY',
  'GW_UPSTREAM_REQUEST',
  'GW_UPSTREAM_LOOP',
])

/** Whether an exception is a failure of the upstream (decisions, "What is a failure for the breaker"). */
export function isFailure(error: unknown, exchange: Exchange): boolean {
  if (exchange.aborted) return false
  return !(error instanceof UpstreamError && NOT_OF_THE_UPSTREAM.has(error.code))
}
