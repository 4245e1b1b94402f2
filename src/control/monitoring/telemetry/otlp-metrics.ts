import type { Exemplar, MetricSample } from '#contracts'
import type { JsonObject, JsonValue } from '#json'
import { quantile } from '#metrics'
import { nanoseconds, otlpAttributes } from '#telemetry'

/** Of opentelemetry-proto: values since the begin of a series. */
const CUMULATIVE = 2
const QUANTILES = [0.5, 0.75, 0.95, 0.98, 0.99, 0.999] as const
/** Data points of one record: a metric of ten thousand routes is several records. */
const MAX_POINTS = 500

/** Names of the semantic conventions, by those that Prometheus has for them. */
const CONVENTIONS: Readonly<Record<string, { readonly name: string; readonly unit: string }>> = {
  http_server_request_duration_seconds: { name: 'http.server.request.duration', unit: 's' },
}
const ATTRIBUTES: Readonly<Record<string, string>> = {
  http_request_method: 'http.request.method',
  http_route: 'http.route',
  url_scheme: 'url.scheme',
}

/** Samples as texts of OTLP metrics, each with some data points. `now` is in milliseconds since the epoch. */
export function* otlpMetrics(samples: readonly MetricSample[], now: number): Generator<string> {
  for (const family of Map.groupBy(samples, ({ name }) => name).values()) {
    const [first] = family as [MetricSample]
    const points = family.filter(({ type, value }) => type === first.type && Number.isFinite(value))
    for (let from = 0; from < points.length; from += MAX_POINTS) {
      yield JSON.stringify(metricOf(first, points.slice(from, from + MAX_POINTS), nanoseconds(now)))
    }
  }
}

function metricOf({ name, help, type }: MetricSample, samples: readonly MetricSample[], time: string): JsonObject {
  const head = { name, description: help, ...CONVENTIONS[name] }
  const dataPoints = samples.map((sample) => pointOf(sample, time))
  if (type === 'gauge') return { ...head, gauge: { dataPoints } }
  if (type === 'summary') return { ...head, summary: { dataPoints } }
  if (type === 'histogram') return { ...head, histogram: { aggregationTemporality: CUMULATIVE, dataPoints } }
  return { ...head, sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } }
}

function pointOf(sample: MetricSample, timeUnixNano: string): JsonObject {
  const { type, labels, value, since, count = 0 } = sample
  const point = { attributes: attributesOf(labels), timeUnixNano }
  if (type === 'gauge') return { ...point, asDouble: value }
  const startTimeUnixNano = nanoseconds(since)
  if (type === 'counter') return { ...point, startTimeUnixNano, asDouble: value }
  const totals = { ...point, startTimeUnixNano, count: String(count), sum: value }
  return type === 'summary' ? { ...totals, quantileValues: quantilesOf(sample) } : { ...totals, ...bucketsOf(sample) }
}

function quantilesOf({ recent }: MetricSample): JsonValue[] {
  if (recent === undefined) return []
  return QUANTILES.flatMap((part) => {
    const value = quantile(recent, part)
    return value === null ? [] : [{ quantile: part, value }]
  })
}

function bucketsOf({ buckets }: MetricSample): JsonObject {
  if (buckets === undefined) return {}
  const { bounds, counts, exemplars } = buckets
  return {
    explicitBounds: [...bounds],
    bucketCounts: counts.map(String),
    exemplars: exemplars.filter((each) => each !== null).map(exemplarOf),
  }
}

function exemplarOf({ value, time, traceId, spanId }: Exemplar): JsonObject {
  return { timeUnixNano: nanoseconds(time * 1000), asDouble: value, traceId, spanId }
}

/** Empty labels of Prometheus are attributes that are not there. */
function attributesOf(labels: Readonly<Record<string, string>>): JsonValue[] {
  const entries = Object.entries(labels).flatMap(([name, value]): [string, JsonValue][] => {
    if (value === '') return []
    if (name === 'http_response_status_code') return [['http.response.status_code', Number(value)]]
    if (name === 'otel_metric_overflow') return [['otel.metric.overflow', true]]
    return [[ATTRIBUTES[name] ?? name, value]]
  })
  return otlpAttributes(Object.fromEntries(entries))
}
