import { UpstreamError, type UpstreamErrorCode } from '#client'
import { type Exchange, IDEMPOTENT_METHODS } from '#http'
import { isFailure } from '../circuit-breaker/failure.ts'

/** Failures of requests that have not reached the application; a proxy that refuses one may have taken its body. */
const UNSENT: ReadonlySet<UpstreamErrorCode> = new Set([
  'GW_UPSTREAM_CONNECT',
  'GW_UPSTREAM_POOL_FULL',
  'GW_UPSTREAM_PROXY',
])

const STORAGE_CALLS: ReadonlySet<unknown> = new Set(['open', 'write', 'mkdir'])

/**
 * Makes a request ready to be sent more than once, and says whether it is. A body is kept only where a retry may need
 * it: for an idempotent method, or where a response may ask for a retry.
 */
export async function keepForReplay(exchange: Exchange, responsesMayAsk: boolean): Promise<boolean> {
  const { method, body } = exchange.request
  if (body.isEmpty || body.isBuffered) return true
  if (!responsesMayAsk && !IDEMPOTENT_METHODS.has(method)) return false
  try {
    return await body.bufferIfFits(exchange.storage)
  } catch (error) {
    if (exchange.aborted) throw new UpstreamError('GW_CLIENT_GONE', error)
    // A storage that can not be written to is no mistake of the client.
    if (error instanceof Error && 'syscall' in error && STORAGE_CALLS.has(error.syscall)) throw error
    throw new UpstreamError('GW_REQUEST_BODY', error)
  }
}

/** Whether a request may be sent again after an exception (decisions, "Retries"). */
export function mayRepeatAfter(error: unknown, exchange: Exchange, replayable: boolean): boolean {
  if (!isFailure(error, exchange)) return false
  if (error instanceof UpstreamError && UNSENT.has(error.code)) return exchange.request.body.isAvailable
  return replayable && IDEMPOTENT_METHODS.has(exchange.request.method)
}
