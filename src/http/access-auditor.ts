import type { Exchange } from './exchange.ts'

/** A request that the listener refused before any handler. */
export interface RefusedRequest {
  readonly transactionId: string
  readonly secure: boolean
  /** Version of TLS; null for cleartext. */
  readonly tls: string | null
  readonly client: { readonly ip: string; readonly port: number }
  readonly server: { readonly ip: string; readonly port: number }
  readonly status: number
  /** Whether a response with the status was sent; after a response that is not complete none can be. */
  readonly isSent: boolean
  /** Bytes of the content of the response. */
  readonly bytes: number
  readonly reason: string
  /** The request line as received, not validated; null where it could not be parsed. */
  readonly line: RequestLine | null
}

/** A request line, or its counterpart of HTTP/2. */
export interface RequestLine {
  readonly method: string
  readonly target: string
  readonly protocol: string
}

/** Records requests: one access event each, when they have ended. */
export interface AccessAuditor {
  /** Begins to record a request, in place of another auditor if there is one. */
  begin(exchange: Exchange): void
  refused(request: RefusedRequest): void
}
