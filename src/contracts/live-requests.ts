/** A watch on requests: which, and how many for each second. */
export interface RequestWatch {
  readonly id: number
  /** A query filter over the fields of RequestEvent; null for all requests. */
  readonly filter: string | null
  readonly rate: number
}

/** A request that has ended, without its query, headers and bodies (decisions 11). */
export interface RequestEvent {
  /** When it began, ISO 8601. */
  readonly timestamp: string
  readonly method: string
  readonly path: string
  /** Null where the client left before a response. */
  readonly status: number | null
  /** Milliseconds until the last byte of the response. */
  readonly elapsed: number
  readonly route: string | null
  readonly user: string | null
  readonly transactionId: string
  /** Id of its trace; null for a request that was not traced. */
  readonly trace: string | null
}

/** Requests of one watch in one unit since its last message. */
export interface WatchedRequests {
  readonly watch: number
  readonly events: readonly RequestEvent[]
  /** Matching requests beyond the rate. */
  readonly skipped: number
}
