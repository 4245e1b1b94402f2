import type { RecentObservations } from '#contracts'

/** Upper bounds of the buckets: 16 to each doubling, from a microsecond to about an hour, in seconds. */
const STEPS_PER_DOUBLING = 16
const SMALLEST = 1e-6

/** How many buckets there are. */
export const BUCKETS = 32 * STEPS_PER_DOUBLING

/** Observations in buckets that are at most 5 % wide. Room is made for those that occur: most routes need few. */
export class Observations {
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

  /** Tells of each bucket that is not empty, in order: its number, and how many observations are in it. */
  eachBucket(tell: (bucket: number, inside: number) => void): void {
    for (let at = 0; at < this.#counts.length; at++) {
      const inside = this.#counts[at] as number
      if (inside > 0) tell(this.#first + at, inside)
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

/** The largest value that belongs into a bucket. */
export function upperBound(bucket: number): number {
  return SMALLEST * 2 ** (bucket / STEPS_PER_DOUBLING)
}

/** The value that a part of the observations does not exceed; null where there are none. */
export function quantile({ count, min, max, buckets }: RecentObservations, part: number): number | null {
  let left = Math.max(1, Math.ceil(count * part))
  for (const [bound, inside] of buckets) {
    left -= inside
    // The bound of a bucket may lie beyond everything that was observed.
    if (left <= 0) return Math.max(min, Math.min(max, bound))
  }
  return count === 0 ? null : max
}
