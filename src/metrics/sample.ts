import type { HistogramBuckets, MetricSample, Rates, RecentObservations, SampledSeries, SeriesHead } from '#contracts'
import { mergeHistograms } from './duration-histogram.ts'
import { WindowMerge } from './window-merge.ts'

/** Description of a series, the same in all threads. */
export type Head = Omit<SeriesHead, 'id'> & SampledSeries

/** Offset of a thread's summary in its report. */
export interface SummaryOffset {
  readonly values: Float64Array
  readonly at: number
}

/** A counter or a gauge. Small, since 10,000 routes have 100,000 of them. */
export class NumberSample implements MetricSample {
  readonly series: Head
  readonly since: number
  readonly value: number

  constructor(series: Head, since: number, value: number) {
    this.series = series
    this.since = since
    this.value = value
  }

  get name(): string {
    return this.series.name
  }

  get help(): string {
    return this.series.help
  }

  get type(): MetricSample['type'] {
    return this.series.type
  }

  get labels(): Readonly<Record<string, string>> {
    return this.series.labels
  }
}

const windows = new WindowMerge()

/** A summary over all threads. Reports are immutable: quantiles and rates are merged on first read. */
export class SummarySample extends NumberSample {
  readonly count: number
  readonly #offsets: readonly SummaryOffset[]
  #recent: RecentObservations | null = null

  constructor(series: Head, since: number, kept: { sum: number; count: number }, offsets: readonly SummaryOffset[]) {
    super(series, since, kept.sum + total(offsets, 0))
    this.count = kept.count + total(offsets, 1)
    this.#offsets = offsets
  }

  get rates(): Rates {
    return { m1: total(this.#offsets, 2), m5: total(this.#offsets, 3), m15: total(this.#offsets, 4) }
  }

  get recent(): RecentObservations {
    if (this.#recent !== null) return this.#recent
    for (const { values, at } of this.#offsets) windows.add(values, at + 6, values[at + 5] as number)
    this.#recent = windows.finish()
    return this.#recent
  }
}

/** Totals of threads that have ended. */
interface EndedTotals {
  readonly sum: number
  readonly count: number
  readonly buckets: readonly number[] | null
}

/** A histogram over all threads. */
export class HistogramSample extends NumberSample {
  readonly count: number
  readonly #offsets: readonly SummaryOffset[]
  readonly #ended: EndedTotals

  constructor(series: Head, since: number, ended: EndedTotals, offsets: readonly SummaryOffset[]) {
    super(series, since, ended.sum + total(offsets, 0))
    this.count = ended.count + total(offsets, 1)
    this.#offsets = offsets
    this.#ended = ended
  }

  get buckets(): HistogramBuckets {
    return mergeHistograms(this.#offsets, this.#ended.buckets)
  }
}

function total(offsets: readonly SummaryOffset[], offset: number): number {
  let sum = 0
  for (const { values, at } of offsets) sum += values[at + offset] as number
  return sum
}
