import type { ClientSpan, Exchange, InternalSpan, Request, RequestOutcome, RequestSpan } from '#http'
import { clientAttributes, errorOf, protocolVersion, requestAttributes, safeMethod } from './http-attributes.ts'
import { attributesText, nanoseconds } from './otlp-value.ts'
import { randomHex, SPAN_DIGITS } from './random-ids.ts'

// Of opentelemetry-proto.
const INTERNAL = 1
const SERVER = 2
const CLIENT = 3
const STATUS_ERROR = 2
/** The parent of the span is in another process. */
const HAS_REMOTE = 0x100
const IS_REMOTE = 0x200
const SAMPLED = 1

/** Longest name of a span, in characters. */
const MAX_NAME = 256

type Attributes = Readonly<Record<string, string | number | undefined>>

/** A recorded span, when it has ended. */
export interface EndedSpan {
  readonly id: string
  /** End in milliseconds since the epoch. */
  readonly time: number
  /** A Span of OTLP as JSON. */
  readonly text: string
}

/** Receives recorded spans; never blocks. */
export type SpanSink = (span: EndedSpan) => void

/** Times of one trace: a wall clock that was read once, and a monotonic one. */
interface TraceTime {
  readonly epoch: number
  readonly origin: number
}

interface SpanStart {
  readonly traceId: string
  readonly parentId: string | null
  readonly tracestate: string | null
  readonly time: TraceTime
  readonly sink: SpanSink
}

/** A span that is exported when it ends. */
abstract class RecordedSpan {
  readonly isRecording = true
  readonly traceId: string
  readonly spanId = randomHex(SPAN_DIGITS)
  readonly traceparent: string
  readonly tracestate: string | null
  readonly #start: SpanStart
  readonly #startedAt = performance.now()
  #ended = false

  constructor(start: SpanStart) {
    this.#start = start
    this.traceId = start.traceId
    this.traceparent = `00-${start.traceId}-${this.spanId}-01`
    this.tracestate = start.tracestate
  }

  beginClient(request: Request, resends: number): ClientSpan {
    return new RecordedClientSpan(this.#child(), request, resends)
  }

  beginInternal(name: string): InternalSpan {
    return new RecordedInternalSpan(this.#child(), name)
  }

  #child(): SpanStart {
    return { ...this.#start, parentId: this.spanId }
  }

  /** Exports the span, once. */
  protected finish(kind: number, name: string, attributes: Attributes, error: string | null): void {
    if (this.#ended) return
    this.#ended = true
    const { parentId, tracestate, time, sink } = this.#start
    const epochOf = (at: number): number => time.epoch + (at - time.origin)
    const end = epochOf(performance.now())
    const isRemote = kind === SERVER && parentId !== null
    const text = `{"traceId":"${this.traceId}","spanId":"${this.spanId}"${
      tracestate === null ? '' : `,"traceState":${JSON.stringify(tracestate)}`
    }${parentId === null ? '' : `,"parentSpanId":"${parentId}"`},"flags":${
      SAMPLED | HAS_REMOTE | (isRemote ? IS_REMOTE : 0)
    },"name":${JSON.stringify(name.slice(0, MAX_NAME))},"kind":${kind},"startTimeUnixNano":"${nanoseconds(
      epochOf(this.#startedAt),
    )}","endTimeUnixNano":"${nanoseconds(end)}","attributes":${attributesText(attributes)}${
      error === null ? '' : `,"status":{"code":${STATUS_ERROR}}`
    }}`
    sink({ id: this.spanId, time: end, text })
  }
}

/** The span of a request at the gateway. */
export class RecordedRequestSpan extends RecordedSpan implements RequestSpan {
  readonly #method: string

  constructor(method: string, start: Omit<SpanStart, 'time'>) {
    super({ ...start, time: { epoch: Date.now(), origin: performance.now() } })
    this.#method = method
  }

  end(exchange: Exchange, outcome: RequestOutcome): void {
    const error = errorOf(outcome)
    const route = exchange.audit?.routeId ?? null
    const method = safeMethod(this.#method)
    const name = route === null ? method : `${method} ${route}`
    this.finish(SERVER, name, requestAttributes(this.#method, exchange, outcome, error), error)
  }
}

class RecordedClientSpan extends RecordedSpan implements ClientSpan {
  readonly #method: string
  readonly #attributes: Attributes

  constructor(start: SpanStart, request: Request, resends: number) {
    super(start)
    this.#method = request.method
    this.#attributes = clientAttributes(request, resends)
  }

  end(status: number | null, version: string | null, error: string | null): void {
    const type = error ?? (status !== null && status >= 400 ? String(status) : null)
    const attributes = {
      ...this.#attributes,
      'http.response.status_code': status ?? undefined,
      'network.protocol.version': version === null ? undefined : protocolVersion(version),
      'error.type': type ?? undefined,
    }
    this.finish(CLIENT, safeMethod(this.#method), attributes, type)
  }
}

class RecordedInternalSpan extends RecordedSpan implements InternalSpan {
  readonly #name: string

  constructor(start: SpanStart, name: string) {
    super(start)
    this.#name = name
  }

  end(error: string | null): void {
    this.finish(INTERNAL, this.#name, { 'gateway.object': this.#name, 'error.type': error ?? undefined }, error)
  }
}
