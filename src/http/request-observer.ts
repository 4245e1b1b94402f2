import type { Exchange } from './exchange.ts'
import { RequestAudit, type RequestOutcome } from './request-audit.ts'

/** Observes the requests of a listener while it is open; otherwise they cost nothing. */
export interface RequestObserver {
  readonly isOpen: boolean
  /** Null for a request that is not observed. */
  begin(exchange: Exchange): RequestObservation | null
}

/** Observes one request. */
export interface RequestObservation {
  ended(outcome: RequestOutcome): void
}

/** Route, user and decision of a request that leaves no access event. */
export class UnauditedRequest extends RequestAudit {
  override end(): void {}

  override discard(): void {}
}
