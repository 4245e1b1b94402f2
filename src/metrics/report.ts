import type { MetricReport, SeriesHead } from '#contracts'
import { NumberList } from './number-list.ts'
import type { CounterSeries, SummarySeries } from './series.ts'
import type { Series } from './series-table.ts'

/** Heads in one report: so many take a few milliseconds, during which the thread serves nobody. */
const HEADS_AT_ONCE = 2000

/**
 * What a thread has measured. `series` are all there are, in the order they began; heads up to the id `after` are known
 * already.
 *
 * The values are one list of numbers: how many counters and gauges there are, id and value of each; then for each summary
 * its id, the length of what follows, sum, count, three rates, how many stretches of time, and for each of those count,
 * sum, sum of squares, smallest, largest, how many buckets, number of each bucket and of the observations in it.
 */
export function metricReport(series: readonly Series[], after: number, headsAtOnce = HEADS_AT_ONCE): MetricReport {
  // Ids and the order of the table both grow, so that what is new stands at the end.
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
  const list = new NumberList(2 * series.length + 1)
  const summaries: Series[] = []
  list.push(0)
  for (const one of series) {
    if (one.type === 'summary') summaries.push(one)
    else {
      list.push(one.id)
      list.push(numberOf(one))
    }
  }
  list.set(0, series.length - summaries.length)
  for (const { id, total } of summaries) writeSummary(id, total as SummarySeries, list)
  return list.toArray()
}

function numberOf({ total, parts, merge }: Series): number {
  if (parts.size === 0 && total !== null) return (total as CounterSeries).value
  let value = merge === 'max' ? Number.NEGATIVE_INFINITY : ((total as { value: number } | null)?.value ?? 0)
  for (const part of parts) value = merge === 'max' ? Math.max(value, part.value) : value + part.value
  return value
}

function writeSummary(id: number, { sum, count, m1, m5, m15, recent }: SummarySeries, list: NumberList): void {
  list.push(id)
  const lengthAt = list.length
  for (const number of [0, sum, count, m1, m5, m15, recent.length]) list.push(number)
  for (const stretch of recent) {
    for (const number of [stretch.count, stretch.sum, stretch.squares, stretch.min, stretch.max]) list.push(number)
    const bucketsAt = list.length
    list.push(0)
    stretch.eachBucket((bucket, inside) => {
      list.push(bucket)
      list.push(inside)
    })
    list.set(bucketsAt, (list.length - bucketsAt - 1) / 2)
  }
  list.set(lengthAt, list.length - lengthAt - 1)
}

/** Takes what `readValues` finds. */
export interface ValueReader {
  number(id: number, value: number): void
  /** `at` is where in the values sum, count and so on begin. */
  summary(id: number, at: number): void
}

/** Goes through the values of a report, each by the id of its series. */
export function readValues(values: Float64Array, reader: ValueReader): void {
  const numbers = values[0] ?? 0
  let at = 1
  for (let read = 0; read < numbers; read++, at += 2) reader.number(values[at] as number, values[at + 1] as number)
  while (at < values.length) {
    reader.summary(values[at] as number, at + 2)
    at += 2 + (values[at + 1] as number)
  }
}
