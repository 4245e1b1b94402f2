import { startDeadline } from './deadline.ts'
import type { Exchange } from './exchange.ts'
import type { Handler } from './handler.ts'
import type { Headers } from './headers.ts'
import type { Response } from './response.ts'

/** Limits of a request that the gateway itself makes. */
interface InternalCallLimits {
  /** Milliseconds until the response must have been read completely. */
  readonly timeout: number
  /** Bytes of the response body; a larger one is a failure. */
  readonly maxBytes: number
  /** Responses whose body is read; that of others is cancelled. All by default. */
  readonly wantsBody?: (response: Response) => boolean
  /** The call is aborted together with this exchange: not for a response that other requests wait for or get from a cache. */
  readonly abortWith?: Exchange | null
}

/** A response with its body. */
export interface InternalResponse {
  readonly status: number
  readonly headers: Headers
  /** The failure behind a response that the handler created instead of the server. */
  readonly cause: Error | null
  readonly body: Uint8Array
}

/** There was no complete response in time. */
export class InternalCallTimeoutError extends Error {
  override readonly name = 'InternalCallTimeoutError'
}

/**
 * Sends an exchange of `internalExchange` and reads the response. Redirects are not followed: the URL was configured, where it
 * would lead was not (threats B65).
 */
export async function internalCall(
  handler: Handler,
  exchange: Exchange,
  { timeout, maxBytes, wantsBody, abortWith = null }: InternalCallLimits,
): Promise<InternalResponse> {
  const { promise: expired, reject } = Promise.withResolvers<never>()
  const stopDeadline = startDeadline(timeout, () => {
    const error = new InternalCallTimeoutError(`no response within ${timeout} ms`)
    exchange.abort(error)
    reject(error)
  })
  const stopAborting = abortWith?.onAbort((reason) => exchange.abort(reason))
  try {
    const response = read(handler, exchange, maxBytes, wantsBody)
    // It may fail after the deadline.
    response.catch(() => {})
    return await Promise.race([response, expired])
  } finally {
    stopDeadline()
    stopAborting?.()
    exchange.complete()
  }
}

async function read(
  handler: Handler,
  exchange: Exchange,
  maxBytes: number,
  wantsBody: InternalCallLimits['wantsBody'],
): Promise<InternalResponse> {
  const response = await handler(exchange)
  const { status, headers, cause } = response
  if (wantsBody === undefined || wantsBody(response)) {
    return { status, headers, cause, body: await response.body.read(maxBytes) }
  }
  response.body.cancel()
  return { status, headers, cause, body: new Uint8Array(0) }
}
