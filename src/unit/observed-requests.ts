import { type FinishedTrace, RequestTrace, TRACE_HEADER } from '#contracts'
import { type Exchange, type RequestObserver, type RequestOutcome, UnauditedRequest } from '#http'
import type { Clock } from '#schema'
import type { LiveRequests } from './live-requests.ts'

/** Milliseconds in which the request of a trace has to arrive. */
const LEASE = 60_000

const MAX_ARMED = 32

interface ObservedInput {
  readonly requests: LiveRequests
  readonly clock: Clock
  send(trace: FinishedTrace): void
}

/** Observes requests for the live monitor and for traces. */
export class ObservedRequests implements RequestObserver {
  readonly #input: ObservedInput
  /** Tokens of traces whose request has not arrived, with the time until which they are valid. */
  readonly #armed = new Map<string, number>()
  readonly #traced = new WeakMap<object, { token: string; trace: RequestTrace }>()
  #open = 0

  constructor(input: ObservedInput) {
    this.#input = input
  }

  get isOpen(): boolean {
    return this.#input.requests.isOpen || this.#armed.size > 0 || this.#open > 0
  }

  /** The next request with this token is traced. */
  arm(token: string): void {
    const now = this.#input.clock.monotonic()
    for (const [old, until] of this.#armed) if (until < now || this.#armed.size >= MAX_ARMED) this.#armed.delete(old)
    this.#armed.set(token, now + LEASE)
  }

  disarm(token: string): void {
    this.#armed.delete(token)
  }

  begin(exchange: Exchange): number {
    // Routes and contexts are recorded for the audit only.
    exchange.audit ??= new UnauditedRequest(exchange)
    if (this.#armed.size > 0) this.#beginTrace(exchange)
    return this.#input.clock.monotonic()
  }

  ended(exchange: Exchange, startedAt: number, outcome: RequestOutcome): void {
    if (this.#input.requests.isOpen) this.#input.requests.ended(exchange, startedAt, outcome)
    const found = this.#open === 0 ? undefined : this.#traced.get(exchange.transactionId)
    if (found === undefined) return
    const { token, trace } = found
    this.#open--
    this.#traced.delete(exchange.transactionId)
    trace.end()
    const { elapsed, steps } = trace
    this.#input.send({
      token,
      route: exchange.audit?.routeId ?? null,
      transactionId: exchange.transactionId.value,
      elapsed,
      steps,
    })
  }

  #beginTrace(exchange: Exchange): void {
    const { headers } = exchange.request
    const token = headers.get(TRACE_HEADER)
    if (token === null || !this.#armed.delete(token)) return
    headers.delete(TRACE_HEADER)
    this.#open++
    const trace = new RequestTrace(exchange)
    this.#traced.set(exchange.transactionId, { token, trace })
  }
}
