/** A request of the live tail, as `/api/monitor/requests` gives it. */
export interface RequestEvent {
  readonly timestamp: string
  readonly method: string
  readonly path: string
  readonly status: number | null
  readonly elapsed: number
  readonly route: string | null
  readonly user: string | null
  readonly transactionId: string
}

/** In place of requests beyond the rate. */
export interface SkippedRequests {
  readonly skipped: number
}
