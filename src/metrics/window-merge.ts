import type { RecentObservations } from '#contracts'
import { BUCKETS, upperBound } from './histogram.ts'

/** Values of a window before its buckets: count, sum, sum of squares, minimum, maximum, number of buckets. */
const HEAD = 6

/** Merges the windows of several summaries, as encoded in reports. */
export class WindowMerge {
  count = 0
  sum = 0
  squares = 0
  min = Number.POSITIVE_INFINITY
  max = Number.NEGATIVE_INFINITY
  readonly #counts = new Float64Array(BUCKETS)
  #lowest = BUCKETS
  #highest = -1

  /** Adds `windows` windows that begin at the offset `from`. */
  add(values: Float64Array, from: number, windows: number): void {
    let at = from
    for (let read = 0; read < windows; read++) {
      this.count += values[at] as number
      this.sum += values[at + 1] as number
      this.squares += values[at + 2] as number
      this.min = Math.min(this.min, values[at + 3] as number)
      this.max = Math.max(this.max, values[at + 4] as number)
      const end = at + HEAD + 2 * (values[at + 5] as number)
      for (at += HEAD; at < end; at += 2) this.#addBucket(values[at] as number, values[at + 1] as number)
    }
  }

  /** Returns the merged observations and starts over. */
  finish(): RecentObservations {
    const buckets: [number, number][] = []
    for (let bucket = this.#lowest; bucket <= this.#highest; bucket++) {
      const count = this.#counts[bucket] as number
      if (count > 0) buckets.push([upperBound(bucket), count])
    }
    const { count, sum, squares, min, max } = this
    this.#clear()
    return { count, sum, squares, min, max, buckets }
  }

  #addBucket(bucket: number, count: number): void {
    this.#counts[bucket] = (this.#counts[bucket] as number) + count
    if (bucket < this.#lowest) this.#lowest = bucket
    if (bucket > this.#highest) this.#highest = bucket
  }

  #clear(): void {
    this.#counts.fill(0, this.#lowest, this.#highest + 1)
    this.#lowest = BUCKETS
    this.#highest = -1
    this.count = this.sum = this.squares = 0
    this.min = Number.POSITIVE_INFINITY
    this.max = Number.NEGATIVE_INFINITY
  }
}
