import type { MeasuredRequest, RequestMeter } from '#http'
import { methodAttribute } from '#http'
import type { DurationHistogram, MetricsScope } from '#metrics'

const HELP = 'Time from the parsed head of a request to the last byte of its response.'

/** Series of a unit, at most: clients and upstreams choose methods and statuses. */
const MAX_SERIES = 10_000

/**
 * The metric `http.server.request.duration` of the semantic conventions, under its name for Prometheus. Series are created with
 * the first request of each route, method and status; beyond the limit requests share one.
 */
export class RequestDurations implements RequestMeter {
  readonly #metrics: MetricsScope
  /** By route, then by method and status. */
  readonly #routes = new Map<string, Map<string, DurationHistogram>>()
  readonly #maxSeries: number
  #series = 0
  /** Most requests belong to the series of the one before. */
  #last: { route: string; scheme: string; method: string; status: number; histogram: DurationHistogram } | null = null

  constructor(metrics: MetricsScope, maxSeries = MAX_SERIES) {
    this.#metrics = metrics
    this.#maxSeries = maxSeries
  }

  ended({ exchange, method, outcome, startedAt, span }: MeasuredRequest): void {
    const seconds = (performance.now() - startedAt) / 1000
    const scheme = exchange.client.secure ? 'https' : 'http'
    const histogram = this.#histogram(exchange.audit?.routeId ?? '', scheme, method, outcome.response?.status ?? 0)
    if (span?.isRecording === true) histogram.observeTraced(seconds, span.traceId, span.spanId)
    else histogram.observe(seconds)
  }

  #histogram(route: string, scheme: string, method: string, status: number): DurationHistogram {
    const last = this.#last
    if (last?.route === route && last.method === method && last.status === status && last.scheme === scheme)
      return last.histogram
    const histogram = this.#find(route, scheme, method, status)
    this.#last = { route, scheme, method, status, histogram }
    return histogram
  }

  #find(route: string, scheme: string, method: string, status: number): DurationHistogram {
    let series = this.#routes.get(route)
    if (series === undefined) {
      series = new Map()
      this.#routes.set(route, series)
    }
    const key = `${method} ${scheme} ${status}`
    return series.get(key) ?? this.#add(series, key, route, { scheme, method, status })
  }

  #add(
    series: Map<string, DurationHistogram>,
    key: string,
    route: string,
    { scheme, method, status }: { scheme: string; method: string; status: number },
  ): DurationHistogram {
    if (this.#series >= this.#maxSeries) return this.#open({ otel_metric_overflow: 'true' })
    this.#series++
    const histogram = this.#open({
      http_request_method: methodAttribute(method),
      http_response_status_code: status === 0 ? '' : String(status),
      http_route: route,
      url_scheme: scheme,
    })
    series.set(key, histogram)
    return histogram
  }

  #open(labels: Readonly<Record<string, string>>): DurationHistogram {
    return this.#metrics.histogram('http_server_request_duration_seconds', HELP, labels)
  }
}
