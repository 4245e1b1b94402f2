import { BodyConsumedError, BodyTooLargeError, StatusError } from '#http'

/** Status and message of each failure of an upstream request. */
const UPSTREAM_ERRORS = {
  GW_UPSTREAM_CONNECT: {
    status: 502,
    message:
      'upstream: expected a connection, got none; check the server, its name and its certificate, or the proxy, as the cause says',
  },
  GW_UPSTREAM_CLOSED: {
    status: 502,
    message: 'upstream: expected a complete response, got a closed connection; check the log of the server',
  },
  GW_UPSTREAM_PROTOCOL: {
    status: 502,
    message: 'upstream: expected an HTTP response, got something else; check what listens at the target',
  },
  GW_UPSTREAM_PROXY: {
    status: 502,
    message: 'upstream: expected the proxy to forward the request, got a refusal; check its credentials and rules',
  },
  GW_UPSTREAM_TIMEOUT: {
    status: 504,
    message: 'upstream: expected bytes within soTimeout, got none; raise soTimeout or check the server',
  },
  GW_UPSTREAM_LOOP: {
    status: 508,
    message: 'upstream: expected another server, got a connector of this gateway; set baseURI to the application',
  },
  GW_UPSTREAM_POOL_FULL: {
    status: 503,
    message: 'upstream: expected a free connection, got none in time; raise connections or limit the rate of requests',
  },
  GW_UPSTREAM_NO_SERVER: {
    status: 503,
    message:
      'upstream: expected a server that may be used, got none; check the states of the servers of the UpstreamService',
  },
  GW_UPSTREAM_TOO_LARGE: {
    status: 502,
    message:
      'upstream: expected a response that fits the temporary storage, got a larger one; raise its limits or stream',
  },
  GW_UPSTREAM_REQUEST: {
    status: 502,
    message:
      'upstream: expected a request that HTTP can carry, got an invalid one; check the filters and scripts that changed it',
  },
  GW_REQUEST_BODY: {
    status: 400,
    message:
      'request: expected a complete body of the announced length, got another one; the upstream request was aborted',
  },
  GW_CLIENT_GONE: {
    status: 502,
    message: 'request: the client closed the connection before the response; the upstream request was aborted',
  },
} as const satisfies Record<string, { status: 400 | 502 | 503 | 504 | 508; message: string }>

/** Stable code of an upstream failure. */
export type UpstreamErrorCode = keyof typeof UPSTREAM_ERRORS

/**
 * A failed upstream request. The message may reach the client: it names no host and quotes no received bytes. Details for
 * the log are in `cause`.
 */
export class UpstreamError extends StatusError {
  override readonly name = 'UpstreamError'
  readonly code: UpstreamErrorCode
  readonly status: 400 | 413 | 500 | 502 | 503 | 504 | 508
  /** Origin that the request was sent to; null where it is that of its URI. */
  origin: string | null = null
  /** Set by the first object that logs the failure. */
  isLogged = false

  constructor(code: UpstreamErrorCode, cause?: unknown) {
    super(UPSTREAM_ERRORS[code].message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = statusOf(code, cause)
  }

  /** Whether upstream or client failed, as opposed to a fault of the route. */
  get isOutcome(): boolean {
    return this.status !== 500
  }
}

function statusOf(code: UpstreamErrorCode, cause: unknown): UpstreamError['status'] {
  // A body that was consumed before is a fault of the route.
  if (cause instanceof BodyConsumedError) return 500
  if (cause instanceof BodyTooLargeError && code === 'GW_REQUEST_BODY') return 413
  return UPSTREAM_ERRORS[code].status
}

/** The server ends the HTTP/2 connection, and did not process the request (RFC 9113 section 6.8). */
export class BeyondGoawayError extends Error {
  override readonly name = 'BeyondGoawayError'
  readonly code = 'GW_UNPROCESSED'

  constructor() {
    super('HTTP/2: the server ended the connection before the request')
  }
}

/** Maps a transport error; `written` is whether the request was written. */
export function upstreamErrorOf(error: Error, written: boolean): UpstreamError {
  if (error instanceof UpstreamError) return error
  return new UpstreamError(codeOf('code' in error ? String(error.code) : '', written), error)
}

/** Whether the peer closed the connection, as opposed to a protocol error or a time-out. */
export function isClosedByPeer(error: Error): boolean {
  return 'code' in error && CLOSED_BY_PEER.has(String(error.code))
}

/** Whether the peer did not process the request (RFC 9113 section 8.7). */
export function isUnprocessed(error: Error): boolean {
  return 'code' in error && error.code === 'GW_UNPROCESSED'
}

const CLOSED_BY_PEER: ReadonlySet<string> = new Set(['GW_UPSTREAM_CLOSED', 'ECONNRESET', 'EPIPE'])

function codeOf(code: string, written: boolean): UpstreamErrorCode {
  if (Object.hasOwn(UPSTREAM_ERRORS, code)) return code as UpstreamErrorCode
  return written ? 'GW_UPSTREAM_CLOSED' : 'GW_UPSTREAM_CONNECT'
}
