import type { Exchange } from './exchange.ts'
import type { RequestOutcome } from './request-audit.ts'
import type { Span } from './span.ts'

/** Values of `traceparent` and `tracestate` of a request, as received. */
export interface ReceivedTraceContext {
  readonly parents: string[]
  readonly states: string[]
}

/** The span of a request at the gateway. */
export interface RequestSpan extends Span {
  end(exchange: Exchange, outcome: RequestOutcome): void
}

/** Begins the spans of requests. */
export interface RequestTracer {
  /** `received` is null where the client is not trusted to name a trace, or names none. */
  begin(method: string, received: ReceivedTraceContext | null): RequestSpan
}
