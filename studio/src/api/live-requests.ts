import type { RequestEvent } from '../../../src/contracts/live-requests.ts'
import { call } from './client.ts'
import type { TraceStep } from './try-it.ts'

export type { RequestEvent }

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
