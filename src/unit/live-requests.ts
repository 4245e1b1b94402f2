import { auditUser } from '#audit'
import type { RequestEvent, RequestWatch, WatchedRequests } from '#contracts'
import { compileFilter, type Pointer, parseQueryFilter } from '#crest'
import type { Exchange, RequestObservation, RequestOutcome } from '#http'
import type { JsonValue } from '#json'
import type { Clock } from '#schema'

/** Milliseconds between messages to the control plane. */
const FLUSH_INTERVAL = 200

/** Messages after which the rates of watches start over. */
const FLUSHES_PER_SECOND = 1_000 / FLUSH_INTERVAL

/** Milliseconds after which watches end that the control plane has not renewed. */
const LEASE = 10_000

const MAX_PATH = 1_024
const MAX_NAME = 256

interface OpenWatch extends RequestWatch {
  /** Whether a request matches the filter; null without one. */
  readonly matches: ((request: EndedRequest) => boolean) | null
  events: RequestEvent[]
  skipped: number
  /** Events that are left in this second. */
  tokens: number
}

interface LiveRequestsInput {
  readonly clock: Clock
  send(batches: readonly WatchedRequests[]): void
}

/** Requests of this unit for the watches of the management API. Memory is bounded by the rates of the watches. */
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
    this.#replace(watches.map((watch) => known.get(watch.id) ?? openWatch(watch)))
    if (watches.length > 0) this.#timer ??= setInterval(() => this.#flush(), FLUSH_INTERVAL).unref()
  }

  /** Null for a request beyond the rates of all watches, which is only counted: nothing is allocated for it. */
  begin(exchange: Exchange): RequestObservation | null {
    let watches = this.#filtered
    for (const watch of this.#unfiltered) {
      if (takeToken(watch)) watches = [...watches, watch]
      else watch.skipped++
    }
    return watches.length === 0 ? null : new LiveRequest(exchange, this.#input.clock, watches)
  }

  #replace(watches: readonly OpenWatch[]): void {
    this.#watches = watches
    this.#filtered = watches.filter(({ matches }) => matches !== null)
    this.#unfiltered = watches.filter(({ matches }) => matches === null)
  }

  #flush(): void {
    if (this.#input.clock.monotonic() - this.#renewedAt > LEASE) this.#replace([])
    const isNextSecond = ++this.#flushes % FLUSHES_PER_SECOND === 0
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

/** One request for its watches: those without a filter have taken a token for it, the others decide at its end. */
class LiveRequest implements RequestObservation {
  readonly #exchange: Exchange
  readonly #clock: Clock
  readonly #startedAt: number
  readonly #watches: readonly OpenWatch[]

  constructor(exchange: Exchange, clock: Clock, watches: readonly OpenWatch[]) {
    this.#exchange = exchange
    this.#clock = clock
    this.#startedAt = clock.monotonic()
    this.#watches = watches
  }

  ended({ response }: RequestOutcome): void {
    const clock = this.#clock
    const elapsed = clock.monotonic() - this.#startedAt
    const request: EndedRequest = { exchange: this.#exchange, elapsed, status: response?.status ?? null, clock }
    let event: RequestEvent | null = null
    for (const watch of this.#watches) {
      if (watch.matches !== null) {
        if (!watch.matches(request)) continue
        if (!takeToken(watch)) {
          watch.skipped++
          continue
        }
      }
      event ??= eventOf(request)
      watch.events.push(event)
    }
  }
}

function takeToken(watch: OpenWatch): boolean {
  if (watch.tokens === 0) return false
  watch.tokens--
  return true
}

function openWatch(watch: RequestWatch): OpenWatch {
  return { ...watch, matches: predicateOf(watch.filter), events: [], skipped: 0, tokens: watch.rate }
}

/** Reads only those fields of a request that the filter names. */
function predicateOf(filter: string | null): OpenWatch['matches'] {
  if (filter === null) return null
  const predicate = compileFilter<EndedRequest>(parseQueryFilter(filter), readerOf, {})
  return (request) => predicate(request) === true
}

function readerOf([name = '', ...rest]: Pointer): (request: EndedRequest) => JsonValue | undefined {
  const read = Object.hasOwn(FIELDS, name) ? FIELDS[name as keyof RequestEvent] : undefined
  return read === undefined || rest.length > 0 ? () => undefined : read
}

interface EndedRequest {
  readonly exchange: Exchange
  readonly elapsed: number
  readonly status: number | null
  readonly clock: Clock
}

const FIELDS: { readonly [F in keyof RequestEvent]: (request: EndedRequest) => RequestEvent[F] } = {
  timestamp: ({ clock, elapsed }) => new Date(clock.now() - elapsed).toISOString(),
  method: ({ exchange }) => exchange.request.method,
  path: ({ exchange }) => exchange.originalUri.rawPath.slice(0, MAX_PATH),
  status: ({ status }) => status,
  elapsed: ({ elapsed }) => Math.round(elapsed * 10) / 10,
  route: ({ exchange }) => exchange.audit?.routeId ?? null,
  user: ({ exchange }) => userOf(exchange)?.slice(0, MAX_NAME) ?? null,
  transactionId: ({ exchange }) => exchange.transactionId.value,
}

function eventOf(request: EndedRequest): RequestEvent {
  return {
    timestamp: FIELDS.timestamp(request),
    method: FIELDS.method(request),
    path: FIELDS.path(request),
    status: FIELDS.status(request),
    elapsed: FIELDS.elapsed(request),
    route: FIELDS.route(request),
    user: FIELDS.user(request),
    transactionId: FIELDS.transactionId(request),
  }
}

function userOf({ audit }: Exchange): string | null {
  try {
    return audit === null ? null : (audit.userId ?? auditUser(audit.latest as Exchange))
  } catch {
    return null
  }
}
