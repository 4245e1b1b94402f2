import type { SeriesHead } from '#contracts'
import type { CounterSeries, SummarySeries } from './series.ts'

/** What one holder adds to a series. */
export interface Part {
  readonly value: number
}

/** A series of a thread: what is counted together, and what each holder adds. */
export interface Series extends SeriesHead {
  readonly total: CounterSeries | SummarySeries | null
  readonly parts: Set<Part>
  users: number
}

/** Two series with the same key are one. Texts that are no Unicode look alike once they are written, so they count as alike. */
export function seriesKey(name: string, labels: Readonly<Record<string, string>>): string {
  let key = name
  for (const label in labels) key += `\u0000${label}\u0000${(labels[label] as string).toWellFormed()}`
  return key
}
