import type { Socket } from 'node:net'
import type { Exchange } from '#http'
import { type ConnectOptions, createOpener } from '../open-socket.ts'
import { UpstreamError, upstreamErrorOf } from '../upstream-error.ts'

/** The server of a WebSocket connection. */
export interface UpgradeTarget {
  readonly isSecure: boolean
  /** IPv6 addresses without brackets. */
  readonly hostname: string
  readonly port: number
}

/** Opens a connection, until the time-out or the abort of the exchange. */
export function openUpgradeSocket(exchange: Exchange, target: UpgradeTarget, options: ConnectOptions): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const opening = createOpener({ ...options, tunnels: 'all' })({ ...target, localAddress: null }, (error, socket) => {
    if (error === null) resolve(socket)
    else reject(upstreamErrorOf(error, false))
  })
  const stopListening = exchange.onAbort((reason) => {
    reject(new UpstreamError('GW_CLIENT_GONE', reason))
    opening.cancel()
  })
  return promise.finally(stopListening)
}
