import type { Exchange } from './exchange.ts'
import type { RequestOutcome } from './request-audit.ts'
import type { RequestSpan } from './request-tracer.ts'

/** A request at its end, for metrics. */
export interface MeasuredRequest {
  readonly exchange: Exchange
  /** As received: filters may change that of the request. */
  readonly method: string
  readonly outcome: RequestOutcome
  /** When its head was parsed, in the time of `performance.now()`. */
  readonly startedAt: number
  /** Null where the gateway does not trace. */
  readonly span: RequestSpan | null
}

/** Measures requests. */
export interface RequestMeter {
  ended(request: MeasuredRequest): void
}
