import type { ServerTls } from '#contracts'
import type { Handler, Response, TemporaryStorage } from '#http'

/** The header by which trusted proxies describe the client; null where they may use either. */
export type ForwardingHeader = 'Forwarded' | 'X-Forwarded-For' | null

/** How sockets are opened and served, beyond what HTTP itself needs. */
export interface ServerOptions {
  readonly backlog?: number
  readonly noDelay?: boolean
  readonly keepAlive?: boolean
  readonly highWaterMark?: number
}

/** What one listener needs to know; times in milliseconds, `Infinity` for no limit. */
export interface ListenerSettings {
  readonly port: number
  readonly host: string
  readonly reusePort: boolean
  readonly maxTotalHeadersSize: number
  /** After this time a body must bring a minimum in each `idleTimeout`. */
  readonly requestTimeout: number
  readonly headersTimeout: number
  readonly keepAliveTimeout: number
  /** A client that sends nothing of its body, or takes nothing of its response, for this long is cut off. */
  readonly idleTimeout: number
  /** Larger request bodies are refused with 413. */
  readonly maxBodyBytes?: number
  /** Addresses or CIDR blocks of proxies whose word about the client is believed. */
  readonly trustedProxies: readonly string[]
  /** The one of two headers by which they describe the client; by default either, and 400 where they disagree. */
  readonly trustedForwardingHeader?: ForwardingHeader | undefined
  readonly transactionIdHeader: string
  readonly trustTransactionHeader: boolean
  /** When false, request bodies are buffered in `storage` before the handler runs. */
  readonly streaming: boolean
  readonly storage: TemporaryStorage
  /** Paths at and under `/<prefix>` are answered with 404 and never handed on. */
  readonly reservedPrefix?: string
  readonly serverOptions?: ServerOptions
  /** The answer to a request that is refused before the handler sees it, where clients may know why. */
  readonly refusal?: (status: number, problem: string) => Response
  /** Whether it is the operator's port, which still takes connections when others have no more to give. */
  readonly isForOperator?: boolean
  /** With it the port speaks TLS, and HTTP/2 where the client can. */
  readonly tls?: ServerTls | null
}

/** An open port and the requests that come in through it. */
export interface Listener {
  readonly port: number
  readonly stats: { readonly connections: number; readonly active: number }
  /** How many connections were closed at once, since too many files were open. */
  readonly refused: number
  setHandler(handler: Handler): void
  /** Stops accepting, lets running requests end for so long, cuts off the rest and says how many those were. */
  drain(gracePeriodMs: number): Promise<{ aborted: number }>
  close(): Promise<void>
}
