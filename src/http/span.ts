import type { Request } from './request.ts'

/** Fields of a request by which its receiver joins the trace (W3C Trace Context). */
export interface TraceFields {
  readonly traceparent: string
  /** Null without one. */
  readonly tracestate: string | null
}

/** An operation of a distributed trace (OpenTelemetry). Where the trace is not sampled, nothing is recorded. */
export interface Span extends TraceFields {
  readonly traceId: string
  readonly spanId: string
  readonly isRecording: boolean
  /** Begins the span of a request to an upstream; null where nothing is recorded. */
  beginClient(request: Request, resends: number): ClientSpan | null
  /** Begins a span for an object of the configuration; null where nothing is recorded. */
  beginInternal(name: string): InternalSpan | null
}

/** The span of a request to an upstream. */
export interface ClientSpan extends TraceFields {
  /** `error`: a code, where the call failed. */
  end(status: number | null, version: string | null, error: string | null): void
}

/** The span of an object of the configuration. */
export interface InternalSpan extends Span {
  /** `error`: type of an exception or a status. */
  end(error: string | null): void
}
