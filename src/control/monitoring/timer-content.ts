import type { MetricSample, RecentObservations } from '#contracts'
import type { JsonObject } from '#json'
import { quantile } from '#metrics'

const QUANTILES = { p50: 0.5, p75: 0.75, p95: 0.95, p98: 0.98, p99: 0.99, p999: 0.999 } as const

const NOTHING: RecentObservations = { count: 0, sum: 0, squares: 0, min: 0, max: 0, buckets: [] }

/** Statistics of a timer: count, total and mean rate since it began, all other durations of the last minutes. */
export function timerContent({ value, count = 0, recent, rates, since }: MetricSample, now: number): JsonObject {
  const seen = recent === undefined || recent.count === 0 ? NOTHING : recent
  const mean = seen.count === 0 ? 0 : seen.sum / seen.count
  const variance = seen.count === 0 ? 0 : Math.max(0, seen.squares / seen.count - mean * mean)
  const quantiles = Object.entries(QUANTILES).map(([name, part]) => [name, milliseconds(quantile(seen, part) ?? 0)])
  return {
    count,
    max: milliseconds(seen.max),
    mean: milliseconds(mean),
    min: milliseconds(seen.min),
    ...(Object.fromEntries(quantiles) as Record<keyof typeof QUANTILES, number>),
    stddev: milliseconds(Math.sqrt(variance)),
    m15_rate: rates?.m15 ?? 0,
    m1_rate: rates?.m1 ?? 0,
    m5_rate: rates?.m5 ?? 0,
    mean_rate: count / Math.max(1, (now - since) / 1000),
    duration_units: 'milliseconds',
    rate_units: 'calls/second',
    total: milliseconds(value),
    _type: 'timer',
  }
}

/** From seconds, to the microsecond. */
function milliseconds(seconds: number): number {
  return Math.round(seconds * 1e6) / 1000
}
