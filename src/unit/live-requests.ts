import type { RequestEvent, RequestWatch, WatchedRequests } from '#contracts'
import type { Exchange, RequestObservation, RequestOutcome } from '#http'
import type { Clock } from '#schema'
import type { LiveTrace, LiveTraces } from './live-traces.ts'
import { type EndedRequest, eventOf } from './request-event.ts'
import type { RequestFilter } from './request-filter.ts'

/** Milliseconds between messages to the control plane. */
const FLUSH_INTERVAL = 200

/** Messages after which the rates of watches start over. */
const FLUSHES_PER_SECOND = 1_000 / FLUSH_INTERVAL

/** Milliseconds after which watches end that the control plane has not renewed. */
const LEASE = 10_000

interface OpenWatch extends RequestWatch {
  /** Null for all requests. */
  readonly compiled: RequestFilter | null
  events: RequestEvent[]
  skipped: number
  /** Events that are left in this second. */
  tokens: number
}

interface LiveRequestsInput {
  readonly clock: Clock
  readonly traces: LiveTraces
  filter(text: string): RequestFilter
  send(batches: readonly WatchedRequests[]): void
}

/**
 * Requests of this unit for the watches of the management API. Memory is bounded by the rates of the watches. Some of the
 * requests are traced; their traces are discarded with the last watch.
 */
export class LiveRequests {
  readonly #input: LiveRequestsInput
  #watches: readonly OpenWatch[] = []
  #filtered: readonly OpenWatch[] = []
  #unfiltered: readonly OpenWatch[] = []
  #renewedAt = 0
  #flushes = 0
  #timer: NodeJS.Timeout | null = null

  constructor(input: LiveRequestsInput) {
    this.#input = input
  }

  get isOpen(): boolean {
    return this.#watches.length > 0
  }

  /** Replaces the watches; those with a known id continue. */
  watch(watches: readonly RequestWatch[]): void {
    this.#renewedAt = this.#input.clock.monotonic()
    const known = new Map(this.#watches.map((watch) => [watch.id, watch]))
    if (known.size === 0) this.#input.traces.refill(rateOf(watches))
    this.#replace(watches.map((watch) => known.get(watch.id) ?? this.#open(watch)))
    if (watches.length > 0) this.#timer ??= setInterval(() => this.#flush(), FLUSH_INTERVAL).unref()
  }

  /** Null for a request beyond the rates of all watches, which is only counted: nothing is allocated for it. */
  begin(exchange: Exchange): RequestObservation | null {
    let watches = this.#filtered
    for (const watch of this.#unfiltered) {
      if (takeToken(watch)) watches = [...watches, watch]
      else watch.skipped++
    }
    if (watches.length === 0) return null
    const { clock, traces } = this.#input
    const isTraced = traces.isAdmitting && watches.some(({ compiled }) => compiled?.mayMatch(exchange) ?? true)
    return new LiveRequest(exchange, { clock, watches, traces, trace: isTraced ? traces.begin(exchange) : null })
  }

  #open(watch: RequestWatch): OpenWatch {
    const compiled = watch.filter === null ? null : this.#input.filter(watch.filter)
    return { ...watch, compiled, events: [], skipped: 0, tokens: watch.rate }
  }

  #replace(watches: readonly OpenWatch[]): void {
    this.#watches = watches
    this.#filtered = watches.filter(({ compiled }) => compiled !== null)
    this.#unfiltered = watches.filter(({ compiled }) => compiled === null)
    if (watches.length === 0) this.#input.traces.clear()
  }

  #flush(): void {
    if (this.#input.clock.monotonic() - this.#renewedAt > LEASE) this.#replace([])
    const isNextSecond = ++this.#flushes % FLUSHES_PER_SECOND === 0
    if (isNextSecond) this.#input.traces.refill(rateOf(this.#watches))
    const batches: WatchedRequests[] = []
    for (const watch of this.#watches) {
      if (isNextSecond) watch.tokens = watch.rate
      if (watch.events.length === 0 && watch.skipped === 0) continue
      batches.push({ watch: watch.id, events: watch.events, skipped: watch.skipped })
      watch.events = []
      watch.skipped = 0
    }
    if (batches.length > 0) this.#input.send(batches)
    if (this.#watches.length > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}

interface LiveRequestInput {
  readonly clock: Clock
  readonly watches: readonly OpenWatch[]
  readonly traces: LiveTraces
  readonly trace: LiveTrace | null
}

/** One request for its watches: those without a filter have taken a token for it, the others decide at its end. */
class LiveRequest implements RequestObservation {
  readonly #exchange: Exchange
  readonly #input: LiveRequestInput
  readonly #startedAt: number

  constructor(exchange: Exchange, input: LiveRequestInput) {
    this.#exchange = exchange
    this.#input = input
    this.#startedAt = input.clock.monotonic()
  }

  ended({ response }: RequestOutcome): void {
    const { clock, watches, traces, trace } = this.#input
    const elapsed = clock.monotonic() - this.#startedAt
    const id = trace !== null && traces.has(trace) ? trace.id : null
    const status = response?.status ?? null
    const event = sendTo(watches, { exchange: this.#exchange, elapsed, status, trace: id, clock })
    if (trace === null) return
    if (event === null) {
      traces.end(trace)
    } else {
      const { trace: _, ...request } = event
      traces.store(trace, request)
    }
  }
}

/** The event of a request, where one of the watches takes it. */
function sendTo(watches: readonly OpenWatch[], request: EndedRequest): RequestEvent | null {
  let event: RequestEvent | null = null
  for (const watch of watches) {
    if (watch.compiled !== null) {
      if (!watch.compiled.matches(request)) continue
      if (!takeToken(watch)) {
        watch.skipped++
        continue
      }
    }
    event ??= eventOf(request)
    watch.events.push(event)
  }
  return event
}

function takeToken(watch: OpenWatch): boolean {
  if (watch.tokens === 0) return false
  watch.tokens--
  return true
}

/** Requests that the watches take in each second. */
function rateOf(watches: readonly RequestWatch[]): number {
  return watches.reduce((sum, { rate }) => sum + rate, 0)
}
