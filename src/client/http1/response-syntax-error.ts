import type { Http1SyntaxError } from '#http1'

/** Received bytes that are not an HTTP/1.1 response; the `cause` of an UpstreamError of the same code. */
export class ResponseSyntaxError extends Error {
  override readonly name = 'ResponseSyntaxError'
  readonly code = 'GW_UPSTREAM_PROTOCOL'
  /** Position of the offending byte, counted from the first byte of the response, informational responses included. */
  readonly offset: number

  constructor({ message, offset }: Http1SyntaxError) {
    super(message)
    this.offset = offset
  }
}

/** The connection was closed before the response was complete. */
export class ResponseTruncatedError extends Error {
  override readonly name = 'ResponseTruncatedError'
  readonly code = 'GW_UPSTREAM_CLOSED'
  /** Number of received bytes of the response. */
  readonly offset: number

  constructor(expected: string, offset: number) {
    super(`response: expected ${expected}, got the end of the connection after ${offset} bytes`)
    this.offset = offset
  }
}
