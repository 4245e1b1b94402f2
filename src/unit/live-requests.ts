import { auditUser } from '#audit'
import type { RequestEvent, RequestWatch, WatchedRequests } from '#contracts'
import { matches, parseQueryFilter, type QueryFilter } from '#crest'
import type { Exchange, RequestOutcome } from '#http'
import type { JsonValue } from '#json'
import type { Clock } from '#schema'

/** Milliseconds between messages to the control plane. */
const FLUSH_INTERVAL = 200

/** Milliseconds after which watches end that the control plane has not renewed. */
const LEASE = 10_000

const SECOND = 1_000
const MAX_PATH = 1_024
const MAX_NAME = 256

interface OpenWatch extends RequestWatch {
  readonly parsed: QueryFilter | null
  events: RequestEvent[]
  skipped: number
  /** Start of the current second, and the number of its events. */
  second: number
  taken: number
}

interface LiveRequestsInput {
  readonly clock: Clock
  send(batches: readonly WatchedRequests[]): void
}

/** Requests of this unit for the watches of the management API. Memory is bounded by the rates of the watches. */
export class LiveRequests {
  readonly #input: LiveRequestsInput
  #watches: readonly OpenWatch[] = []
  #renewedAt = 0
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
    this.#watches = watches.map((watch) => known.get(watch.id) ?? openWatch(watch))
    if (watches.length > 0) this.#timer ??= setInterval(() => this.#flush(), FLUSH_INTERVAL).unref()
  }

  ended(exchange: Exchange, startedAt: number, { response }: RequestOutcome): void {
    const now = this.#input.clock.monotonic()
    let event: RequestEvent | null = null
    for (const watch of this.#watches) {
      if (now - watch.second >= SECOND) {
        watch.second = now
        watch.taken = 0
      }
      const isFull = watch.taken >= watch.rate
      if (isFull && watch.parsed === null) {
        watch.skipped++
        continue
      }
      event ??= eventOf(exchange, now - startedAt, response?.status ?? null, this.#input.clock.now())
      if (watch.parsed !== null && !matches(watch.parsed, event as unknown as JsonValue)) continue
      if (isFull) watch.skipped++
      else {
        watch.taken++
        watch.events.push(event)
      }
    }
  }

  #flush(): void {
    if (this.#input.clock.monotonic() - this.#renewedAt > LEASE) this.#watches = []
    const batches: WatchedRequests[] = []
    for (const watch of this.#watches) {
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

function openWatch(watch: RequestWatch): OpenWatch {
  const parsed = watch.filter === null ? null : parseQueryFilter(watch.filter)
  return { ...watch, parsed, events: [], skipped: 0, second: Number.NEGATIVE_INFINITY, taken: 0 }
}

function eventOf(exchange: Exchange, elapsed: number, status: number | null, now: number): RequestEvent {
  const { audit, request, originalUri } = exchange
  return {
    timestamp: new Date(now - elapsed).toISOString(),
    method: request.method,
    path: originalUri.rawPath.slice(0, MAX_PATH),
    status,
    elapsed: Math.round(elapsed * 10) / 10,
    route: audit?.routeId ?? null,
    user: userOf(exchange)?.slice(0, MAX_NAME) ?? null,
    transactionId: exchange.transactionId.value,
  }
}

function userOf({ audit }: Exchange): string | null {
  try {
    return audit === null ? null : (audit.userId ?? auditUser(audit.latest as Exchange))
  } catch {
    return null
  }
}
