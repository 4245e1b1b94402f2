import type { Exchange, Response } from '#http'
import type { MetricsScope } from '#metrics'
import type { Clock, Counter, Gauge, Summary } from '#schema'

/** The labels of a route's metrics (spec: Route metrics). */
interface RouteLabels {
  readonly name: string
  readonly route: string
  readonly router: string
}

const FAMILIES = ['Informational', 'Successful', 'Redirection', 'Client_error', 'Server_error', 'Unknown'] as const
const UNKNOWN = FAMILIES.length - 1

/** Metrics of a route; the series are looked up at load. */
export class RouteMetrics {
  readonly #clock: Clock
  readonly #active: Gauge
  readonly #requests: Counter
  readonly #errors: Counter
  readonly #nulls: Counter
  readonly #conditionErrors: Counter
  readonly #time: Summary
  readonly #families: readonly Counter[]

  constructor(scope: MetricsScope, labels: RouteLabels, clock: Clock) {
    const all = { ...labels }
    this.#clock = clock
    this.#active = scope.gauge('gw_route_request_active', 'Requests being processed.', all)
    this.#requests = scope.counter('gw_route_request_total', 'Requests processed since deployment.', all)
    this.#errors = scope.counter('gw_route_response_error_total', 'Responses that threw an exception.', all)
    this.#nulls = scope.counter('gw_route_response_null_total', 'Responses not handled by the gateway.', all)
    this.#conditionErrors = scope.counter('gw_route_condition_error_total', 'Conditions that failed.', all)
    this.#time = scope.summary('gw_route_response_time', 'Response time in seconds.', all)
    this.#families = FAMILIES.map((family) =>
      scope.counter('gw_route_response_status_total', 'Responses by status family.', { ...all, family }),
    )
  }

  /** Counts a request; returns its start time for `answered`. */
  entered(): number {
    this.#requests.add()
    this.#active.add(1)
    return this.#clock.monotonic()
  }

  /** The response head is known. */
  answered(response: Response, enteredAt: number): void {
    this.#time.observe((this.#clock.monotonic() - enteredAt) / 1000)
    const family = Math.floor(response.status / 100) - 1
    ;(this.#families[family] ?? (this.#families[UNKNOWN] as Counter)).add()
  }

  /** The exchange is complete: its response was sent, truncated or cancelled. */
  left(exchange: Exchange): void {
    this.#active.add(-1)
    if (exchange.isTruncated) this.#errors.add()
  }

  failed(): void {
    this.#errors.add()
  }

  unhandled(): void {
    this.#nulls.add()
  }

  conditionFailed(): void {
    this.#conditionErrors.add()
  }
}
