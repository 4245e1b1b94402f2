import type { Exchange, Filter, Handler, Response, TransactionId } from '#http'
import {
  type MessageChanges,
  type ResponseState,
  requestChanges,
  requestState,
  responseChanges,
  responseState,
  shownText,
} from './message-changes.ts'

/** One filter or handler on the way of a request; plain data, times in milliseconds since the request began. */
export interface TraceStep {
  /** Qualified name, as in explanations. */
  readonly object: string
  readonly kind: 'filter' | 'handler'
  /** Number of filters and handlers around it. */
  readonly depth: number
  readonly start: number
  /** Until its response; null where it gave none. */
  elapsed: number | null
  /** Without the filters and handlers behind it. */
  own: number | null
  /** Status of its response. */
  status: number | null
  error: string | null
  /** Whether it responded without the next filter or handler. */
  responded: boolean
  request: MessageChanges | null
  response: MessageChanges | null
}

/** Header field with the token of a trace; the unit removes it from the request. */
export const TRACE_HEADER = 'X-Gateway-Trace'

/** The way of a request that has ended. */
export interface FinishedTrace {
  readonly token: string
  /** Id of the innermost route. */
  readonly route: string | null
  readonly transactionId: string
  /** Milliseconds in all. */
  readonly elapsed: number
  readonly steps: readonly TraceStep[]
}

const MAX_STEPS = 500

/** Characters of all changes of a trace, as JSON. */
const MAX_CHANGES = 65_536

/** Traces in progress in this thread; while it is zero, requests cost one comparison for each object. */
export let activeTraces = 0
const traces = new Map<TransactionId, RequestTrace>()

/** The trace of a request; null for one that is not traced. */
export function traceOf(exchange: Exchange): RequestTrace | null {
  return traces.get(exchange.transactionId) ?? null
}

/** Records the way of one request through filters and handlers. */
export class RequestTrace {
  readonly steps: TraceStep[] = []
  readonly #id: TransactionId
  readonly #startedAt = performance.now()
  #depth = 0
  #changesSize = 0

  constructor({ transactionId }: Exchange) {
    this.#id = transactionId
    traces.set(transactionId, this)
    activeTraces = traces.size
  }

  /** Stops recording. */
  end(): void {
    traces.delete(this.#id)
    activeTraces = traces.size
  }

  get elapsed(): number {
    return round(performance.now() - this.#startedAt)
  }

  async handler(handler: Handler, name: string, exchange: Exchange): Promise<Response> {
    const step = this.#begin(name, 'handler')
    if (step === null) return handler(exchange)
    step.responded = true
    return this.#settle(step, 0, () => handler(exchange))
  }

  async filter(filter: Filter, name: string, exchange: Exchange, next: Handler): Promise<Response> {
    const step = this.#begin(name, 'filter')
    if (step === null) return filter(exchange, next)
    const before = requestState(exchange)
    let received: ResponseState | null = null
    const behind = { time: 0 }
    const observed: Handler = async (inner) => {
      step.request ??= this.#bounded(requestChanges(before, requestState(inner)))
      const from = performance.now()
      try {
        const response = await next(inner)
        // A fault of the object behind: the route reports it.
        if ((response as Response | undefined) !== undefined) received = responseState(response)
        return response
      } finally {
        behind.time += performance.now() - from
      }
    }
    const response = await this.#settle(step, behind, () => filter(exchange, observed))
    step.responded = received === null
    if (received !== null && step.status !== null)
      step.response = this.#bounded(responseChanges(received, responseState(response)))
    return response
  }

  #bounded(changes: MessageChanges): MessageChanges {
    this.#changesSize += JSON.stringify(changes).length
    return this.#changesSize > MAX_CHANGES ? { truncated: true } : changes
  }

  #begin(object: string, kind: TraceStep['kind']): TraceStep | null {
    if (this.steps.length >= MAX_STEPS) return null
    const step: TraceStep = {
      object,
      kind,
      depth: this.#depth,
      start: this.elapsed,
      elapsed: null,
      own: null,
      status: null,
      error: null,
      responded: false,
      request: null,
      response: null,
    }
    this.steps.push(step)
    return step
  }

  async #settle(step: TraceStep, behind: { time: number } | 0, run: () => Promise<Response>): Promise<Response> {
    const from = performance.now()
    this.#depth++
    try {
      const response = await run()
      // A fault of the object: the route reports it.
      step.status = (response as Response | undefined)?.status ?? null
      return response
    } catch (error) {
      step.error = error instanceof Error ? shownText(error.message) : 'a value that is not an error was thrown'
      throw error
    } finally {
      this.#depth--
      const elapsed = performance.now() - from
      step.elapsed = round(elapsed)
      step.own = round(elapsed - (behind === 0 ? 0 : behind.time))
    }
  }
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}
