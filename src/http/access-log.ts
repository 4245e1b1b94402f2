import type { RefusedRequest } from './access-auditor.ts'
import type { Exchange } from './exchange.ts'
import type { RequestOutcome } from './request-audit.ts'

/** What the connection of a request knows of it at its end; a field of the access log begins here, or with the exchange. */
export interface LoggedConnection {
  /** Bytes of the response content that were written to the client. */
  readonly bytes: number
  /** Version of TLS; null for cleartext. */
  readonly tls: string | null
}

/** A request at its end. */
export interface LoggedRequest {
  readonly exchange: Exchange
  /** As received: filters may change that of the request. */
  readonly method: string
  readonly outcome: RequestOutcome
  /** When its head was parsed, in the time of `performance.now()`. */
  readonly startedAt: number
  readonly connection: LoggedConnection
}

/** Writes one line for each request of a listener. Route, user and decision are those that the audit of the request collected. */
export interface AccessLog {
  ended(request: LoggedRequest): void
  refused(request: RefusedRequest): void
}
