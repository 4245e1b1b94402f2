import type { ListeningSocket, ServerTls } from '#contracts'
import type {
  AccessAuditor,
  AccessLog,
  ErrorResponses,
  Handler,
  RequestMeter,
  RequestObserver,
  RequestTracer,
  Response,
  TemporaryStorage,
} from '#http'
import type { ConnectorLimits } from '#schema'
import type { ListenerCounts } from './listener-counts.ts'
import type { TicketSource } from './tls/session-tickets.ts'

/** The header by which trusted proxies describe the client; null where they may use either. */
export type ForwardingHeader = 'Forwarded' | 'X-Forwarded-For' | null

/** Socket options. */
interface ServerOptions {
  readonly backlog?: number
  readonly noDelay?: boolean
  readonly keepAlive?: boolean
  readonly highWaterMark?: number
}

/** Settings of one listener; times in milliseconds, `Infinity` for no limit. */
export interface ListenerSettings extends Omit<ConnectorLimits, 'gracePeriod'> {
  readonly port: number
  readonly host: string
  readonly reusePort: boolean
  /** Larger request bodies are refused with 413. */
  readonly maxBodyBytes?: number
  /** Addresses or CIDR blocks of proxies whose forwarding headers are trusted. */
  readonly trustedProxies: readonly string[]
  /** The forwarding header they use; by default either, and 400 where both disagree. */
  readonly trustedForwardingHeader?: ForwardingHeader | undefined
  readonly transactionIdHeader: string
  readonly trustTransactionHeader: boolean
  /** Whether responses carry the transaction id. */
  readonly transactionIdInResponse?: boolean
  /** When false, request bodies are buffered in `storage` before the handler runs. */
  readonly streaming: boolean
  readonly storage: TemporaryStorage
  /** Paths at and under `/<prefix>` are answered with 404 and never reach the handler. */
  readonly reservedPrefix?: string
  readonly serverOptions?: ServerOptions
  /** Whether HTTP/2 is served without TLS too, to clients that begin with its preface; true by default. */
  readonly http2ClearText?: boolean
  /** Response to a request refused before the handler, where clients may see the reason. */
  readonly refusal?: (status: number, problem: string) => Response
  /** Whether this is the management port, which has its own reserve of file descriptors. */
  readonly isManagement?: boolean
  /** Records requests; absent where no access event is wanted. */
  readonly audit?: AccessAuditor | null
  /** Absent where no access line is wanted. */
  readonly accessLog?: AccessLog | null
  /** Content of error responses of the gateway; absent where it stays plain text. */
  readonly errors?: ErrorResponses | null
  /** Observes requests for the live monitor. */
  readonly observer?: RequestObserver | null
  /** Absent where requests are not measured. */
  readonly meter?: RequestMeter | null
  /** Absent where requests are not traced. */
  readonly tracer?: RequestTracer | null
  /** Whether any client may name the trace of its requests; by default only trusted proxies. */
  readonly trustTraceContext?: boolean
  /** Set for TLS, with HTTP/2 by ALPN. */
  readonly tls?: ServerTls | null
  /** Set where other listeners accept the session tickets of this one. */
  readonly tickets?: TicketSource | null
}

/** How a listener drains. */
export interface DrainOptions {
  /**
   * Whether others listen on its port. Idle connections then have a moment for a further request, and upgraded ones are closed at
   * the end of the grace period.
   */
  readonly isHandover?: boolean
}

/** An open port and its requests. */
export interface Listener {
  readonly port: number
  /** Its listening sockets. */
  readonly sockets: readonly ListeningSocket[]
  readonly stats: { readonly connections: number; readonly active: number }
  readonly counts: Readonly<ListenerCounts>
  setHandler(handler: Handler): void
  /** Accepts what is queued, then closes the listening sockets. */
  stopAccepting(): Promise<void>
  /** Stops accepting, waits for active requests, then aborts the rest and resolves to their number. */
  drain(gracePeriodMs: number, options?: DrainOptions): Promise<{ aborted: number }>
  close(): Promise<void>
}
