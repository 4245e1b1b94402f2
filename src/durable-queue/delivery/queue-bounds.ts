/** Bounds of a queue. */
export interface QueueBounds {
  /** Records in memory. */
  readonly maxEvents: number
  /** Bytes in memory. */
  readonly maxBytes: number
  /** Segment files on disk; null keeps records in memory only. */
  readonly spool: SpoolPlan | null
}

/** Segment files of a queue. */
export interface SpoolPlan {
  readonly directory: string
  readonly maxBytes: number
}

/** Clock of a queue, in milliseconds: since the epoch, and one that never goes back. */
export interface QueueClock {
  now(): number
  monotonic(): number
}
