/** Bounds of a handler's queue, as plain data. */
export interface QueuePlan {
  /** Events in memory. */
  readonly maxEvents: number
  /** Bytes in memory. */
  readonly maxBytes: number
  /** `drop` discards and counts new events; `block` delays new requests first. */
  readonly onFull: 'drop' | 'block'
  /** Milliseconds that a request waits at most. */
  readonly maxBlockTime: number
  /** Segment files on disk; null keeps events in memory only. */
  readonly spool: SpoolPlan | null
}

/** Segment files of a handler. */
export interface SpoolPlan {
  readonly directory: string
  readonly maxBytes: number
}
