import { UpstreamError, type UpstreamErrorCode } from '#client'
import { type Exchange, IDEMPOTENT_METHODS } from '#http'
import { isFailure } from '../circuit-breaker/failure.ts'

/** Failures before the request reached the application. A forward proxy that refused may have read the body. */
const UNSENT: ReadonlySet<UpstreamErrorCode> = new Set([
  'GW_UPSTREAM_CONNECT',
  'GW_UPSTREAM_POOL_FULL',
  'GW_UPSTREAM_NO_SERVER',
  'GW_UPSTREAM_PROXY',
])

const STORAGE_CALLS: ReadonlySet<unknown> = new Set(['open', 'write', 'mkdir'])

/**
 * Buffers the body of a request that may be retried: of an idempotent method, or where a response may cause a retry. Returns
 * whether the request can be repeated.
 */
export async function bufferForReplay(exchange: Exchange, responsesMayFail: boolean): Promise<boolean> {
  const { method, body } = exchange.request
  if (body.isEmpty || body.isBuffered) return true
  if (!responsesMayFail && !IDEMPOTENT_METHODS.has(method)) return false
  try {
    return await body.bufferIfFits(exchange.storage)
  } catch (error) {
    if (exchange.aborted) throw new UpstreamError('GW_CLIENT_GONE', error)
    // A failed write to the temporary storage is not the client's fault.
    if (error instanceof Error && 'syscall' in error && STORAGE_CALLS.has(error.syscall)) throw error
    throw new UpstreamError('GW_REQUEST_BODY', error)
  }
}

/** Whether a request may be repeated after an exception (decisions, "Retries"). */
export function mayRetryAfter(error: unknown, exchange: Exchange, replayable: boolean): boolean {
  if (!isFailure(error, exchange)) return false
  if (error instanceof UpstreamError && UNSENT.has(error.code)) return exchange.request.body.isAvailable
  return replayable && IDEMPOTENT_METHODS.has(exchange.request.method)
}
