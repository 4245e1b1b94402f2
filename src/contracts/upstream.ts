import { type ContextKey, contextKey, type Exchange, type Handler, type Response } from '#http'
import { kind } from '#schema'
import type { ClientTls } from './tls.ts'

/** Servers that a request has been sent to, by their places in the service. */
export class TriedServers {
  readonly #slots: number[] = []
  /** Whether another server can be tried. */
  hasOther = false

  add(slot: number): void {
    this.#slots.push(slot)
  }

  has(slot: number): boolean {
    return this.#slots.includes(slot)
  }

  isLast(slot: number): boolean {
    return this.#slots.at(-1) === slot
  }
}

/** Sends a request once; `tried` is null for requests that are not repeated. */
export type Send = (exchange: Exchange, tried: TriedServers | null) => Promise<Response>

/** The circuit breakers of the servers of a service. */
export interface ServerCircuits {
  isOpen(slot: number): boolean
  /** The epoch to record the outcome with; null where the circuit is open. */
  admit(slot: number): number | null
  record(slot: number, epoch: number, failed: boolean): void
}

/** What a handler uses a service with. */
export interface UpstreamUse {
  /** Null without a circuit breaker. */
  readonly circuits: ServerCircuits | null
  /** Whether an error is a failure of the server. */
  isFailure(error: unknown, exchange: Exchange): boolean
}

/** The servers of an application, one of which is chosen for each attempt of a request. */
export interface Upstream {
  /** Servers at most. */
  readonly capacity: number
  /** Checks servers with the TLS options of a handler; null for the defaults. */
  checkWith(tls: ClientTls | null): Promise<void>
  /** Sends each request to a server of the service: `send` gets it with the URI of the server. */
  through(send: Handler, use: UpstreamUse): Send
}

export const UpstreamKind = kind<Upstream>('UpstreamService')

/** The servers that a list in `baseURI` names. */
interface UpstreamChoice {
  /** Null where a later `baseURI` names one server. */
  readonly upstream: Upstream | null
}

export const UpstreamContext: ContextKey<UpstreamChoice> = contextKey<UpstreamChoice>('upstream')
