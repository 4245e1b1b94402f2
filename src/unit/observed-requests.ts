import { type FinishedTrace, RequestTrace, TRACE_HEADER } from '#contracts'
import { type Exchange, type RequestObservation, type RequestObserver, UnauditedRequest } from '#http'
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

/** A request whose token was armed. */
interface ArmedRequest {
  readonly token: string
  readonly trace: RequestTrace
  readonly live: RequestObservation | null
}

/** Observes requests for the live monitor and for traces. */
export class ObservedRequests implements RequestObserver {
  readonly #input: ObservedInput
  /** Tokens of traces whose request has not arrived, with the time until which they are valid. */
  readonly #armed = new Map<string, number>()

  constructor(input: ObservedInput) {
    this.#input = input
  }

  get isOpen(): boolean {
    return this.#input.requests.isOpen || this.#armed.size > 0
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

  begin(exchange: Exchange): RequestObservation | null {
    const token = this.#armed.size > 0 ? this.#takeToken(exchange) : null
    // Before the live request, which shares it.
    const trace = token === null ? null : new RequestTrace(exchange)
    const live = this.#input.requests.isOpen ? this.#input.requests.begin(exchange) : null
    if (live === null && trace === null) return null
    // Routes and contexts are recorded for the audit only.
    exchange.audit ??= new UnauditedRequest(exchange)
    return token === null || trace === null ? live : this.#traced(exchange, { token, trace, live })
  }

  #traced(exchange: Exchange, { token, trace, live }: ArmedRequest): RequestObservation {
    return {
      ended: (outcome) => {
        live?.ended(outcome)
        trace.end()
        const { elapsed, steps } = trace
        const route = exchange.audit?.routeId ?? null
        this.#input.send({ token, route, transactionId: exchange.transactionId.value, elapsed, steps })
      },
    }
  }

  /** The token of the request, where it is the one of a trace. */
  #takeToken({ request: { headers } }: Exchange): string | null {
    const token = headers.get(TRACE_HEADER)
    if (token === null || !this.#armed.delete(token)) return null
    headers.delete(TRACE_HEADER)
    return token
  }
}
