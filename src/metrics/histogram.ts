import type { RecentObservations } from '#contracts'

/** Buckets for each power of two, from one microsecond to about an hour. */
const STEPS_PER_DOUBLING = 16
const SMALLEST = 1e-6

/** Number of buckets. */
export const BUCKETS = 32 * STEPS_PER_DOUBLING

/** Histogram with buckets at most 5 % wide. Memory grows with the range that occurs, which is narrow for most routes. */
export class Histogram {
  count = 0
  sum = 0
  squares = 0
  min = Number.POSITIVE_INFINITY
  max = Number.NEGATIVE_INFINITY
  #first = 0
  #counts = new Uint32Array(0)

  record(value: number): void {
    this.count++
    this.sum += value
    this.squares += value * value
    if (value < this.min) this.min = value
    if (value > this.max) this.max = value
    this.#add(bucketOf(value), 1)
  }

  /** Calls `visit` for each bucket that is not empty, in order. */
  forEachBucket(visit: (bucket: number, count: number) => void): void {
    for (let at = 0; at < this.#counts.length; at++) {
      const count = this.#counts[at] as number
      if (count > 0) visit(this.#first + at, count)
    }
  }

  #add(bucket: number, count: number): void {
    const at = this.#at(bucket)
    this.#counts[at] = (this.#counts[at] as number) + count
  }

  #at(bucket: number): number {
    const at = bucket - this.#first
    if (at >= 0 && at < this.#counts.length) return at
    const step = Math.floor(bucket / STEPS_PER_DOUBLING) * STEPS_PER_DOUBLING
    const empty = this.#counts.length === 0
    const first = empty ? step : Math.min(this.#first, step)
    const end = Math.max(empty ? 0 : this.#first + this.#counts.length, step + STEPS_PER_DOUBLING)
    const grown = new Uint32Array(end - first)
    grown.set(this.#counts, empty ? 0 : this.#first - first)
    this.#first = first
    this.#counts = grown
    return bucket - first
  }
}

function bucketOf(value: number): number {
  if (!(value > SMALLEST)) return 0
  return Math.min(BUCKETS - 1, Math.ceil(Math.log2(value / SMALLEST) * STEPS_PER_DOUBLING))
}

/** Upper bound of a bucket, inclusive. */
export function upperBound(bucket: number): number {
  return SMALLEST * 2 ** (bucket / STEPS_PER_DOUBLING)
}

/** The given quantile (0 to 1); null without observations. */
export function quantile({ count, min, max, buckets }: RecentObservations, rank: number): number | null {
  let left = Math.max(1, Math.ceil(count * rank))
  for (const [bound, inside] of buckets) {
    left -= inside
    // The bound of a bucket may exceed the largest observation.
    if (left <= 0) return Math.max(min, Math.min(max, bound))
  }
  return count === 0 ? null : max
}
