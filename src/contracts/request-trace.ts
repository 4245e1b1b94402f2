import type { ContextLink, Exchange, Filter, Handler, Headers, Request, Response, TransactionId } from '#http'
import { isConfidential, redacted } from '#logging'

/** A value before and after; null where it is missing. */
type Change<T> = readonly [before: T | null, after: T | null]

/** Changes of a message by a filter. Values of headers with credentials are masked. */
interface MessageChanges {
  method?: Change<string>
  uri?: Change<string>
  status?: Change<number>
  headers?: Record<string, Change<string>>
  /** Whether the body was replaced. */
  body?: true
  /** Contexts and attributes that were added. */
  contexts?: readonly string[]
  attributes?: readonly string[]
}

/** One filter or handler on the way of a request; plain data, times in milliseconds since the request began. */
interface TraceStep {
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
const MAX_VALUE = 1_024

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
      step.request ??= requestChanges(before, requestState(inner))
      const from = performance.now()
      try {
        const response = await next(inner)
        received = responseState(response)
        return response
      } finally {
        behind.time += performance.now() - from
      }
    }
    const response = await this.#settle(step, behind, () => filter(exchange, observed))
    step.responded = received === null
    if (received !== null && step.status !== null) step.response = responseChanges(received, responseState(response))
    return response
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
      step.error =
        error instanceof Error ? error.message.slice(0, MAX_VALUE) : 'a value that is not an error was thrown'
      throw error
    } finally {
      this.#depth--
      const elapsed = performance.now() - from
      step.elapsed = round(elapsed)
      step.own = round(elapsed - (behind === 0 ? 0 : behind.time))
    }
  }
}

function requestChanges(before: RequestState, after: RequestState): MessageChanges {
  const headers = headerChanges(before.headers, after.headers)
  return {
    ...(before.method !== after.method && { method: [before.method, after.method] as const }),
    ...(before.uri !== after.uri && { uri: [withoutQuery(before.uri), withoutQuery(after.uri)] as const }),
    ...(headers !== null && { headers }),
    ...(before.body !== after.body && { body: true as const }),
    ...listed('contexts', contextsBetween(before.contexts, after.contexts)),
    ...listed(
      'attributes',
      after.attributes.filter((name) => !before.attributes.includes(name)),
    ),
  }
}

function responseChanges(before: ResponseState, after: ResponseState): MessageChanges {
  const headers = headerChanges(before.headers, after.headers)
  return {
    ...(before.status !== after.status && { status: [before.status, after.status] as const }),
    ...(headers !== null && { headers }),
    ...(before.body !== after.body && { body: true as const }),
  }
}

function headerChanges(before: Fields, after: Fields): Record<string, Change<string>> | null {
  const changes: Record<string, Change<string>> = Object.create(null)
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(name) ?? null, after.get(name) ?? null]
    if (old === now) continue
    const shown = (value: string | null) => {
      if (value === null) return null
      return isConfidential(name) ? redacted : shortened(value)
    }
    changes[name] = [shown(old), shown(now)]
  }
  return Object.keys(changes).length === 0 ? null : changes
}

/** Values of header fields by their name in lower case. */
type Fields = ReadonlyMap<string, string>

interface RequestState {
  readonly method: string
  readonly uri: string
  readonly headers: Fields
  readonly body: Request['body']
  readonly contexts: ContextLink | null
  readonly attributes: readonly string[]
}

interface ResponseState {
  readonly status: number
  readonly headers: Fields
  readonly body: Response['body']
}

function requestState({ request, contexts, attributes }: Exchange): RequestState {
  const { method, uri, headers, body } = request
  return { method, uri: String(uri), headers: fieldsOf(headers), body, contexts, attributes: Object.keys(attributes) }
}

function responseState({ status, headers, body }: Response): ResponseState {
  return { status, headers: fieldsOf(headers), body }
}

function fieldsOf(headers: Headers): Fields {
  const fields = new Map<string, string>()
  for (const name of headers.names()) fields.set(name.toLowerCase(), headers.all(name).join(', '))
  return fields
}

function contextsBetween(before: ContextLink | null, after: ContextLink | null): readonly string[] {
  const names: string[] = []
  for (let link = after; link !== null && link !== before; link = link.parent) names.unshift(link.name)
  return names
}

function listed<K extends string>(key: K, names: readonly string[]): { [P in K]?: readonly string[] } {
  return names.length === 0 ? {} : ({ [key]: names } as { [P in K]: readonly string[] })
}

function shortened(value: string): string {
  return value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}...` : value
}

/** Queries may have credentials. */
function withoutQuery(uri: string): string {
  return shortened(uri.replace(/\?.*/s, '?...'))
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}
