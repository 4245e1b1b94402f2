/** Values of `ResponseHead.length` besides a number of bytes. */
export const CHUNKED = -1
export const UNTIL_CLOSE = -2

/** The head of a final response. Fields are name, value, name, value, ..., as received, in Latin-1. */
export interface ResponseHead {
  readonly status: number
  readonly reason: string
  readonly fields: string[]
  readonly minor: 0 | 1
  /** Whether the connection may carry another request after this response, by its version, Connection and framing. */
  keepAlive: boolean
  /** Seconds of `Keep-Alive: timeout`, or -1. */
  keepAliveHint: number
  /** Bytes of the body; -1 (`CHUNKED`), or -2 (`UNTIL_CLOSE`). */
  length: number
  /** 101, or 2xx for CONNECT: the bytes after the head are another protocol, and `onComplete` is not called. */
  readonly upgrade: boolean
}
