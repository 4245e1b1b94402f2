import type { Exchange } from './exchange.ts'

/** A request that the listener refused before any handler. It has no method and no path that could be trusted. */
export interface RefusedRequest {
  readonly secure: boolean
  readonly client: { readonly ip: string; readonly port: number }
  readonly server: { readonly ip: string; readonly port: number }
  readonly status: number
  readonly reason: string
}

/** Records requests: one access event each, when they have ended. */
export interface AccessAuditor {
  /** Begins to record a request, in place of another auditor if there is one. */
  begin(exchange: Exchange): void
  refused(request: RefusedRequest): void
}
