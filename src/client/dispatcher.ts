import type { Body } from '#http'
import type { UploadObserver } from './upload.ts'
import type { UpstreamError } from './upstream-error.ts'

/** A request as connections send it. Fields are name, value, name, value, ... */
export interface OutboundRequest {
  readonly method: string
  /** In absolute form for a forward proxy (RFC 9112 section 3.2). */
  readonly target: string
  /** Value of the Host field. */
  readonly host: string
  /** End-to-end fields, and `TE: trailers` where it was sent; without Host and Content-Length. */
  readonly fields: readonly string[]
  readonly acceptsTrailers: boolean
  /** A short body, sent in one piece with the head. */
  readonly bytes: Uint8Array | null
  /** A body that is streamed. */
  readonly stream: Body | null
  /** Content-Length; null without a body, and for a stream of unknown length or with trailers. */
  readonly length: number | null
  /** Whether its connection is closed after the response. */
  readonly isLast: boolean
}

/** Controls the connection or stream of a call that is dispatched. */
export interface DispatchController {
  /** Whether it ends at a connector of this gateway. */
  readonly isSelfConnection: boolean
  /** The HTTP version of responses. */
  readonly version: 'HTTP/1.1' | 'HTTP/2'
  /** Fails the call, which is the only one it affects. */
  abort(reason: Error): void
  /** Stops reading the response until `resume`. */
  pause(): void
  resume(): void
}

/** One request and its response, as seen by its connection. */
export interface Call extends UploadObserver {
  /** The queue that holds the call; null where it can not be withdrawn. */
  queue: CallQueue | null
  /** Bounds the wait for a connection. */
  wait(): void
  /** The request is written next. Throws where it must not be sent: the connection is then unused. */
  begin(controller: DispatchController, isReused: boolean): void
  /** Bytes of the response were received. */
  received(): void
  /** An informational response. */
  interim(status: number, fields: readonly string[]): void
  /** The head of the final response; `length` is that of its body, null where unknown. */
  head(status: number, reason: string, fields: readonly string[], length: number | null): void
  data(chunk: Uint8Array): void
  end(trailers: readonly string[]): void
  /** All bytes of a packet are parsed: a response whose head is among them can be used. */
  parsed(): void
  failed(error: Error): void
}

/** Finds a connection for each call. */
export interface Dispatcher {
  /** `isRepeated` calls are not sent over a connection that was idle: it may be closed too. */
  dispatch(request: OutboundRequest, call: Call, isRepeated: boolean): void
}

/** Queue of calls without a connection. */
export interface CallQueue {
  /** Removes a call; false where it is not in the queue. */
  withdraw(call: Call): boolean
  /** The failure of a call whose wait has ended: a connection that was not established in time, or none that was free. */
  waitFailure(): UpstreamError
}
