/** What stays the same about a series while its value changes. */
export interface SeriesHead {
  /** Tells the series of one thread apart; never used again for another. */
  readonly id: number
  readonly name: string
  readonly help: string
  readonly type: MetricSample['type']
  readonly labels: Readonly<Record<string, string>>
  /** How the values of threads become one, where they are not added up. */
  readonly merge?: 'max'
  /** When the series began, in milliseconds since the epoch. */
  readonly since: number
}

/**
 * What a thread says when it is asked for its numbers. Heads are sent once: names and labels of ten thousand routes
 * are megabytes, their values are not.
 */
export interface MetricReport {
  /** Series after those that are known, in the order of their ids. */
  readonly heads: readonly SeriesHead[]
  /** The value of every series there is; null where more heads have to be asked for first. */
  readonly values: Float64Array | null
}

/** Observations of a summary, of which some have gone: those of the last minutes. */
export interface RecentObservations {
  readonly count: number
  readonly sum: number
  readonly squares: number
  readonly min: number
  readonly max: number
  /** How many fell into each bucket: upper bounds, in order. */
  readonly buckets: readonly (readonly [bound: number, count: number])[]
}

/** Observations for each second, as averages that forget. */
export interface Rates {
  readonly m1: number
  readonly m5: number
  readonly m15: number
}

/** What is the same in all samples of a series. */
export interface SampledSeries {
  /** What the series is called where all of them are listed, or null for those that are not, once that was worked out. */
  listedAs?: string | null
}

/** One measured value. */
export interface MetricSample {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'summary'
  readonly labels: Readonly<Record<string, string>>
  /** Of a summary, the sum of all observations. */
  readonly value: number
  /** When the series began, in milliseconds since the epoch. */
  readonly since: number
  /** Stands for the series, where it is known: the same in all of its samples. */
  readonly series?: SampledSeries
  /** Summaries only: how many observations there were since it began. */
  readonly count?: number
  readonly recent?: RecentObservations
  readonly rates?: Rates
}
