import type { MetricSample, Rates, RecentObservations, SampledSeries, SeriesHead } from '#contracts'
import { StretchSum } from './stretches.ts'

/** What is known of a series over all threads. */
export type Head = Omit<SeriesHead, 'id'> & SampledSeries

/** Where the summary of a thread begins in its report. */
export interface SummaryPlace {
  readonly values: Float64Array
  readonly at: number
}

/** A counter or a gauge. Ten thousand routes have very many of them: a sample is little more than its value. */
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

const stretches = new StretchSum()

/** A summary over all threads. Reports do not change, so that what is in them is put together when it is asked for. */
export class SummarySample extends NumberSample {
  readonly count: number
  readonly #places: readonly SummaryPlace[]
  #recent: RecentObservations | null = null

  constructor(series: Head, since: number, kept: { sum: number; count: number }, places: readonly SummaryPlace[]) {
    super(series, since, kept.sum + total(places, 0))
    this.count = kept.count + total(places, 1)
    this.#places = places
  }

  get rates(): Rates {
    return { m1: total(this.#places, 2), m5: total(this.#places, 3), m15: total(this.#places, 4) }
  }

  get recent(): RecentObservations {
    if (this.#recent !== null) return this.#recent
    for (const { values, at } of this.#places) stretches.add(values, at + 6, values[at + 5] as number)
    this.#recent = stretches.take()
    return this.#recent
  }
}

function total(places: readonly SummaryPlace[], offset: number): number {
  let sum = 0
  for (const { values, at } of places) sum += values[at + offset] as number
  return sum
}
