import type { MetricReport, SeriesHead } from '#contracts'
import { DurationHistogram } from './duration-histogram.ts'
import { Float64List } from './float64-list.ts'
import type { CounterSeries, SummarySeries } from './series.ts'
import type { Series } from './series-key.ts'

/** Series heads in one report: building them takes a few milliseconds of the event loop. */
const HEADS_AT_ONCE = 2000

/**
 * Encodes the metrics of a thread. `series` are in the order of their ids; heads up to the id `after` are omitted.
 *
 * The values are one list of numbers: the number of counters and gauges, id and value of each; then for each summary its
 * id, the length of the rest, sum, count, three rates, the number of windows, and for each window count, sum, sum of
 * squares, minimum, maximum, the number of buckets, and for each bucket its index and count. A histogram is written as a summary
 * is: id, length, sum, count, and what `DurationHistogram` adds.
 */
export function metricReport(series: readonly Series[], after: number, headsAtOnce = HEADS_AT_ONCE): MetricReport {
  // Ids grow with the order of the list: new series are at its end.
  const fresh = series.slice(firstAfter(series, after))
  const heads = fresh.slice(0, headsAtOnce).map(headOf)
  return { heads, values: fresh.length > heads.length ? null : valuesOf(series) }
}

function firstAfter(series: readonly Series[], id: number): number {
  let at = series.length
  while (at > 0 && (series[at - 1] as Series).id > id) at--
  return at
}

function headOf({ id, name, help, type, labels, merge, since }: Series): SeriesHead {
  return { id, name, help, type, labels, since, ...(merge === undefined ? {} : { merge }) }
}

function valuesOf(series: readonly Series[]): Float64Array {
  const list = new Float64List(2 * series.length + 1)
  const summaries: Series[] = []
  list.push(0)
  for (const one of series) {
    if (one.type === 'summary' || one.type === 'histogram') summaries.push(one)
    else {
      list.push(one.id)
      list.push(numberOf(one))
    }
  }
  list.set(0, series.length - summaries.length)
  for (const { id, total } of summaries) {
    if (total instanceof DurationHistogram) writeHistogram(id, total, list)
    else writeSummary(id, total as SummarySeries, list)
  }
  return list.toArray()
}

function numberOf({ total, contributions, merge }: Series): number {
  if (contributions.length === 0 && total !== null) return (total as CounterSeries).value
  let value = merge === 'max' ? Number.NEGATIVE_INFINITY : ((total as { value: number } | null)?.value ?? 0)
  for (const contribution of contributions)
    value = merge === 'max' ? Math.max(value, contribution.value) : value + contribution.value
  return value
}

function writeSummary(id: number, { sum, count, m1, m5, m15, recent }: SummarySeries, list: Float64List): void {
  list.push(id)
  const lengthAt = list.length
  for (const number of [0, sum, count, m1, m5, m15, recent.length]) list.push(number)
  for (const histogram of recent) {
    for (const number of [histogram.count, histogram.sum, histogram.squares, histogram.min, histogram.max])
      list.push(number)
    const bucketsAt = list.length
    list.push(0)
    histogram.forEachBucket((bucket, count) => {
      list.push(bucket)
      list.push(count)
    })
    list.set(bucketsAt, (list.length - bucketsAt - 1) / 2)
  }
  list.set(lengthAt, list.length - lengthAt - 1)
}

function writeHistogram(id: number, histogram: DurationHistogram, list: Float64List): void {
  list.push(id)
  const lengthAt = list.length
  list.push(0)
  histogram.write(list)
  list.set(lengthAt, list.length - lengthAt - 1)
}

/** Receives the values that `readValues` decodes. */
interface ValueReader {
  number(id: number, value: number): void
  /** Also of a histogram. `at` is the offset of sum, count and so on. */
  summary(id: number, at: number): void
}

/** Decodes the values of a report. */
export function readValues(values: Float64Array, reader: ValueReader): void {
  const numbers = values[0] ?? 0
  let at = 1
  for (let read = 0; read < numbers; read++, at += 2) reader.number(values[at] as number, values[at + 1] as number)
  while (at < values.length) {
    reader.summary(values[at] as number, at + 2)
    at += 2 + (values[at + 1] as number)
  }
}
