import type { RecentObservations } from '#contracts'
import { BUCKETS, upperBound } from './observations.ts'

/** Numbers of a stretch of time before its buckets: count, sum, sum of squares, smallest, largest, how many buckets. */
const HEAD = 6

/** Puts the stretches of time of several summaries together, as they stand in reports. */
export class StretchSum {
  count = 0
  sum = 0
  squares = 0
  min = Number.POSITIVE_INFINITY
  max = Number.NEGATIVE_INFINITY
  readonly #insides = new Float64Array(BUCKETS)
  #lowest = BUCKETS
  #highest = -1

  /** Adds so many stretches that begin at a place of a report. */
  add(values: Float64Array, from: number, stretches: number): void {
    let at = from
    for (let stretch = 0; stretch < stretches; stretch++) {
      this.count += values[at] as number
      this.sum += values[at + 1] as number
      this.squares += values[at + 2] as number
      this.min = Math.min(this.min, values[at + 3] as number)
      this.max = Math.max(this.max, values[at + 4] as number)
      const end = at + HEAD + 2 * (values[at + 5] as number)
      for (at += HEAD; at < end; at += 2) this.#addBucket(values[at] as number, values[at + 1] as number)
    }
  }

  /** What was put together so far; the next sum begins with nothing. */
  take(): RecentObservations {
    const buckets: [number, number][] = []
    for (let bucket = this.#lowest; bucket <= this.#highest; bucket++) {
      const inside = this.#insides[bucket] as number
      if (inside > 0) buckets.push([upperBound(bucket), inside])
    }
    const { count, sum, squares, min, max } = this
    this.#clear()
    return { count, sum, squares, min, max, buckets }
  }

  #addBucket(bucket: number, inside: number): void {
    this.#insides[bucket] = (this.#insides[bucket] as number) + inside
    if (bucket < this.#lowest) this.#lowest = bucket
    if (bucket > this.#highest) this.#highest = bucket
  }

  #clear(): void {
    this.#insides.fill(0, this.#lowest, this.#highest + 1)
    this.#lowest = BUCKETS
    this.#highest = -1
    this.count = this.sum = this.squares = 0
    this.min = Number.POSITIVE_INFINITY
    this.max = Number.NEGATIVE_INFINITY
  }
}
