/** Description of a series: everything but its value. */
export interface SeriesHead {
  /** Unique in its thread, never reused. */
  readonly id: number
  readonly name: string
  readonly help: string
  readonly type: MetricSample['type']
  readonly labels: Readonly<Record<string, string>>
  /** How values of threads are merged; default: sum. */
  readonly merge?: 'max'
  /** When the series began, in milliseconds since the epoch. */
  readonly since: number
}

/**
 * Metrics of one thread. Heads are sent once: names and labels of 10,000 routes are megabytes, their values are not.
 */
export interface MetricReport {
  /** Series that were not sent before, in the order of their ids. */
  readonly heads: readonly SeriesHead[]
  /** The value of every series; null while further heads must be fetched. */
  readonly values: Float64Array | null
}

/** Observations of a summary in the last minutes. */
export interface RecentObservations {
  readonly count: number
  readonly sum: number
  readonly squares: number
  readonly min: number
  readonly max: number
  /** Count of each bucket, by ascending upper bound. */
  readonly buckets: readonly (readonly [bound: number, count: number])[]
}

/** An observation of a sampled trace. */
export interface Exemplar {
  /** Index of its bucket. */
  readonly bucket: number
  readonly value: number
  /** Seconds since the epoch. */
  readonly time: number
  readonly traceId: string
  readonly spanId: string
}

/** Counts of a histogram. */
export interface HistogramBuckets {
  /** Upper bounds of all buckets but the last, which has none. */
  readonly bounds: readonly number[]
  /** Of each bucket alone. */
  readonly counts: readonly number[]
  /** The last one of each bucket; null without one. */
  readonly exemplars: readonly (Exemplar | null)[]
}

/** Observations for each second, as exponentially weighted moving averages. */
export interface Rates {
  readonly m1: number
  readonly m5: number
  readonly m15: number
}

/** State shared by all samples of a series. */
export interface SampledSeries {
  /** Name in the listing of metrics, computed once; null for a series that is not listed. */
  listedAs?: string | null
}

/** One measured value. */
export interface MetricSample {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'summary' | 'histogram'
  readonly labels: Readonly<Record<string, string>>
  /** For a summary or histogram, the sum of all observations. */
  readonly value: number
  /** When the series began, in milliseconds since the epoch. */
  readonly since: number
  /** The same object in all samples of a series. */
  readonly series?: SampledSeries
  /** For a summary or histogram, the number of all observations. */
  readonly count?: number
  readonly recent?: RecentObservations
  readonly rates?: Rates
  /** Of a histogram. */
  readonly buckets?: HistogramBuckets
}
