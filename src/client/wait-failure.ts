import type { PendingSocket } from './open-socket.ts'
import { UpstreamError } from './upstream-error.ts'

/**
 * The failure of a call whose wait for a connection has ended. It is a failed connection where one is being opened, by any unit: only
 * of a server that has accepted some can all be in use.
 */
export function waitFailure(pending: PendingSocket | null, anyConnected: boolean): UpstreamError {
  if (pending !== null) return new UpstreamError('GW_UPSTREAM_CONNECT', pending.late())
  if (anyConnected) return new UpstreamError('GW_UPSTREAM_POOL_FULL')
  return new UpstreamError('GW_UPSTREAM_CONNECT', new Error('connection: expected the server to accept one in time'))
}
