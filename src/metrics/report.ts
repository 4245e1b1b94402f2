import type { MetricReport, MetricSample, RecentObservations, SeriesHead } from '#contracts'
import { upperBound } from './observations.ts'
import { SummarySeries } from './series.ts'
import type { Series } from './series-table.ts'

/** Heads in one report: so many take a few milliseconds, during which the thread serves nobody. */
const HEADS_AT_ONCE = 2000

/** Says what a thread has measured; remembers which heads it has told of. */
export class Reporter {
  #ids = 0
  #told = 0

  nextId(): number {
    return ++this.#ids
  }

  report(all: Iterable<Series>, headsAtOnce = HEADS_AT_ONCE): MetricReport {
    const series = [...all]
    // Ids and the order of the table both grow, so that what is new stands at the end.
    const fresh = series.slice(firstAfter(series, this.#told))
    const heads = fresh.slice(0, headsAtOnce).map(headOf)
    this.#told = heads.at(-1)?.id ?? this.#told
    if (fresh.length > heads.length) return { heads, values: null }
    const values: number[] = []
    for (const one of series) write(one, values)
    return { heads, values: Float64Array.from(values) }
  }
}

function firstAfter(series: readonly Series[], id: number): number {
  let at = series.length
  while (at > 0 && (series[at - 1] as Series).id > id) at--
  return at
}

function headOf({ id, name, help, type, labels, merge, since }: Series): SeriesHead {
  return { id, name, help, type, labels, since, ...(merge === undefined ? {} : { merge }) }
}

function write({ id, total, parts, merge }: Series, into: number[]): void {
  into.push(id)
  if (total instanceof SummarySeries) writeSummary(total, into)
  else if (merge === 'max') into.push(Math.max(...Array.from(parts, ({ value }) => value)))
  else into.push(Array.from(parts).reduce((sum, { value }) => sum + value, total?.value ?? 0))
}

function writeSummary({ sum, count, m1, m5, m15, recent }: SummarySeries, into: number[]): void {
  into.push(sum, count, m1, m5, m15, recent.length)
  for (const observations of recent) {
    into.push(observations.count, observations.sum, observations.squares, observations.min, observations.max)
    const lengthAt = into.push(0) - 1
    for (const [bucket, inside] of observations.buckets()) into.push(bucket, inside)
    into[lengthAt] = (into.length - lengthAt - 1) / 2
  }
}

/** The values of a report, one after the other, each by the id of its series. */
export function readValues(
  values: Float64Array,
  typeOf: (id: number) => MetricSample['type'],
  read: ValueReader,
): void {
  let at = 0
  const next = (): number => values[at++] as number
  while (at < values.length) {
    const id = next()
    if (typeOf(id) !== 'summary') read.number(id, next())
    else read.summary(id, readSummary(next))
  }
}

/** Takes what `readValues` finds. */
export interface ValueReader {
  number(id: number, value: number): void
  summary(id: number, value: SummaryValue): void
}

/** A summary as it is reported. */
export interface SummaryValue {
  readonly sum: number
  readonly count: number
  readonly m1: number
  readonly m5: number
  readonly m15: number
  /** For each stretch of time, with numbers of buckets. */
  readonly recent: readonly RecentObservations[]
}

function readSummary(next: () => number): SummaryValue {
  const [sum, count, m1, m5, m15, stretches] = [next(), next(), next(), next(), next(), next()]
  const recent = Array.from({ length: stretches }, () => {
    const numbers = { count: next(), sum: next(), squares: next(), min: next(), max: next() }
    const buckets = Array.from({ length: next() }, () => [next(), next()] as const)
    return { ...numbers, buckets }
  })
  return { sum, count, m1, m5, m15, recent }
}

/** Several stretches of time in one, with bounds instead of numbers of buckets. */
export function together(stretches: readonly RecentObservations[]): RecentObservations {
  const counts = new Map<number, number>()
  let [count, sum, squares, min, max] = [0, 0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const stretch of stretches) {
    count += stretch.count
    sum += stretch.sum
    squares += stretch.squares
    min = Math.min(min, stretch.min)
    max = Math.max(max, stretch.max)
    for (const [bucket, inside] of stretch.buckets) counts.set(bucket, (counts.get(bucket) ?? 0) + inside)
  }
  const buckets = [...counts].sort(([a], [b]) => a - b).map(([bucket, inside]) => [upperBound(bucket), inside] as const)
  return { count, sum, squares, min, max, buckets }
}
