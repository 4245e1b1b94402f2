import { randomUUID } from 'node:crypto'
import { RequestTrace, type TraceStep, traceOf } from '#contracts'
import type { Exchange } from '#http'

/** Traces that begin in each second, at most. */
const MAX_RATE = 50

/** Traces of requests in flight, at most: beyond it the oldest, such as those of WebSockets, are discarded. */
const MAX_ACTIVE = 500

/** Finished traces, at most; the tail of the Studio has as many rows. */
const MAX_FINISHED = 500

/** Characters of all finished traces, at most. */
const MAX_SIZE = 4 * 1024 * 1024

/** The trace of a request in flight. */
export interface LiveTrace {
  readonly id: string
  readonly trace: RequestTrace
  /** False where the trace was begun by a token. */
  readonly isOwn: boolean
}

/** Traces of live requests: a bounded number each second, the finished ones in a ring. */
export class LiveTraces {
  readonly #active = new Set<LiveTrace>()
  /** JSON by id, the oldest first. */
  readonly #finished = new Map<string, string>()
  #size = 0
  #tokens = 0

  /** Whether a trace may begin in this second. */
  get isAdmitting(): boolean {
    return this.#tokens > 0
  }

  /** Starts a second with the rate at which requests are shown. */
  refill(rate: number): void {
    this.#tokens = Math.min(MAX_RATE, rate)
  }

  /** Null beyond the rate. */
  begin(exchange: Exchange): LiveTrace | null {
    if (this.#tokens === 0) return null
    this.#tokens--
    const armed = traceOf(exchange)
    const trace = { id: randomUUID(), trace: armed ?? new RequestTrace(exchange), isOwn: armed === null }
    this.#active.add(trace)
    if (this.#active.size > MAX_ACTIVE) this.#discardOldest()
    return trace
  }

  /** Whether the trace was not discarded. */
  has(trace: LiveTrace): boolean {
    return this.#active.has(trace)
  }

  /** Stops recording; false for a trace that was discarded. */
  end(trace: LiveTrace): boolean {
    if (trace.isOwn) trace.trace.end()
    return this.#active.delete(trace)
  }

  /** Ends a trace, and stores it with the description of its request. */
  store(trace: LiveTrace, request: object): void {
    if (!this.end(trace)) return
    const { steps }: { readonly steps: readonly TraceStep[] } = trace.trace
    const json = JSON.stringify({ ...request, steps })
    this.#finished.set(trace.id, json)
    this.#size += json.length
    for (const [id, { length }] of this.#finished) {
      if (this.#finished.size <= MAX_FINISHED && this.#size <= MAX_SIZE) break
      this.#finished.delete(id)
      this.#size -= length
    }
  }

  /** A finished trace as JSON; null where it does not exist. */
  read(id: string): string | null {
    return this.#finished.get(id) ?? null
  }

  /** Discards all traces. */
  clear(): void {
    for (const trace of [...this.#active]) this.end(trace)
    this.#finished.clear()
    this.#size = 0
    this.#tokens = 0
  }

  #discardOldest(): void {
    for (const oldest of this.#active) {
      this.end(oldest)
      return
    }
  }
}
