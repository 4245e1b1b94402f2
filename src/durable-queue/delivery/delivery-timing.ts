/** Times of a delivery, in milliseconds. */
export interface DeliveryTiming {
  /** Until a call of `send` is aborted; transports have shorter deadlines of their own. */
  readonly sendDeadline: number
  /** Until the outcome of an aborted call is ignored, and the next call may overlap with it. */
  readonly abortGrace: number
  readonly shortestRetry: number
  readonly longestRetry: number
  /** Interval of checks for undelivered records; those that two checks find are written to the spool. */
  readonly commitInterval: number
  /** For opening the spool before records are sent; in this time a delivery that is replaced releases its spool. */
  readonly startLimit: number
  /** For `transport.close` and the files of the spool, beyond the limit of `close`. */
  readonly closeGrace: number
}

export const DELIVERY_TIMING: DeliveryTiming = {
  sendDeadline: 60_000,
  abortGrace: 5_000,
  shortestRetry: 100,
  longestRetry: 30_000,
  commitInterval: 100,
  startLimit: 5_000,
  closeGrace: 2_000,
}
