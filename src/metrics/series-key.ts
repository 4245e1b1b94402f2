import type { SeriesHead } from '#contracts'
import type { DurationHistogram } from './duration-histogram.ts'
import type { CounterSeries, SummarySeries } from './series.ts'

/** The value that one scope adds to a series. */
export interface Contribution {
  readonly value: number
}

/** A series of a thread: the total shared by all scopes, and the contribution of each. */
export interface Series extends SeriesHead {
  readonly total: CounterSeries | SummarySeries | DurationHistogram | null
  readonly contributions: Contribution[]
  users: number
}

/** Identity of a series. Ill-formed Unicode is replaced, as in the exposition, so that no two series have the same text. */
export function seriesKey(name: string, labels: Readonly<Record<string, string>>): string {
  let key = name
  for (const label in labels) key += `\u0000${label}\u0000${(labels[label] as string).toWellFormed()}`
  return key
}
