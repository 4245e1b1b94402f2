import type { SamplerPlan } from '#contracts'
import type { ReceivedTraceContext, RequestSpan, RequestTracer } from '#http'
import { randomHex, SPAN_DIGITS, TRACE_DIGITS } from './random-ids.ts'
import { RecordedRequestSpan, type SpanSink } from './recorded-span.ts'
import { type Sampler, samplerOf } from './sampler.ts'
import { readTraceParent } from './trace-context.ts'

/** Begins the spans of the requests of a unit. */
export class Tracer implements RequestTracer {
  readonly #isSampled: Sampler
  readonly #sink: SpanSink

  constructor(sampler: SamplerPlan, sink: SpanSink) {
    this.#isSampled = samplerOf(sampler)
    this.#sink = sink
  }

  begin(method: string, received: ReceivedTraceContext | null): RequestSpan {
    const parent = received === null ? null : readTraceParent(received)
    const traceId = parent?.traceId ?? randomHex(TRACE_DIGITS)
    const tracestate = parent?.state ?? null
    if (!this.#isSampled(traceId, parent?.isSampled ?? null)) return new UnsampledSpan(traceId, tracestate)
    const parentId = parent?.spanId ?? null
    return new RecordedRequestSpan(method, { traceId, parentId, tracestate, sink: this.#sink })
  }
}

/** Carries the id of a trace that is not recorded to the log and to upstreams. */
class UnsampledSpan implements RequestSpan {
  readonly isRecording = false
  readonly traceId: string
  readonly spanId = randomHex(SPAN_DIGITS)
  readonly traceparent: string
  readonly tracestate: string | null

  constructor(traceId: string, tracestate: string | null) {
    this.traceId = traceId
    this.traceparent = `00-${traceId}-${this.spanId}-00`
    this.tracestate = tracestate
  }

  beginClient(): null {
    return null
  }

  beginInternal(): null {
    return null
  }

  end(): void {}
}
