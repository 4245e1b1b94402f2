/** Source of time, in milliseconds. */
export interface Clock {
  /** Since the epoch. */
  now(): number
  /** Never goes back. */
  monotonic(): number
}
