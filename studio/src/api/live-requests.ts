import { call } from './client.ts'
import type { TraceStep } from './try-it.ts'

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
  /** Id of its trace. */
  readonly trace: string | null
}

/** In place of requests beyond the rate. */
export interface SkippedRequests {
  readonly skipped: number
}

/** A request of the live tail with its way. */
export interface LiveTrace extends Omit<RequestEvent, 'trace'> {
  readonly steps: readonly TraceStep[]
}

/** The trace of a request; an error with status 404 once it is discarded. */
export function liveTrace(id: string): Promise<LiveTrace> {
  return call(`api/monitor/trace/${id}`)
}
