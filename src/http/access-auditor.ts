import type { Exchange } from './exchange.ts'

/** A request that the listener refused before any handler. */
export interface RefusedRequest {
  /** Null where the request line can not be trusted. */
  readonly method: string | null
  /** Scheme, authority and path; null where they can not be trusted. */
  readonly path: string | null
  readonly secure: boolean
  readonly client: { readonly ip: string; readonly port: number }
  readonly server: { readonly ip: string; readonly port: number }
  readonly status: number
  readonly reason: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
}

/** Records requests: one access event each, when they have ended. */
export interface AccessAuditor {
  /** Begins to record a request, in place of another auditor if there is one. */
  begin(exchange: Exchange): void
  refused(request: RefusedRequest): void
}
