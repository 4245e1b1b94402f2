import type { Socket } from 'node:net'
import { connector, type Ways } from '../connection.ts'
import { openTunnel } from '../tunnel.ts'
import { UpstreamError, upstreamErrorOf } from '../upstream-error.ts'

const LONGEST_TIMER = 2 ** 31 - 1

/** The server of a WebSocket connection. */
export interface UpgradeTarget {
  readonly isSecure: boolean
  /** IPv6 addresses without brackets. */
  readonly hostname: string
  readonly port: number
}

/** Opens a connection of its own, within the time for it. A proxy is asked for a tunnel whatever the scheme: what follows is not HTTP. */
export function openForUpgrade(target: UpgradeTarget, ways: Ways): Promise<Socket> {
  if (ways.proxy !== null && !target.isSecure) return throughProxy(target, ways)
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const { isSecure, hostname, port } = target
  connector(ways)(
    { hostname, host: hostname, protocol: isSecure ? 'https:' : 'http:', port: String(port) },
    (error, socket) => {
      if (error === null) resolve(socket)
      else reject(upstreamErrorOf(error, false))
    },
  )
  return promise
}

function throughProxy({ hostname, port }: UpgradeTarget, { proxy, timeout }: Ways): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  let opening: Socket | null = null
  const late = () => {
    opening?.destroy()
    reject(new UpstreamError('GW_UPSTREAM_CONNECT', new Error('proxy: expected a tunnel in time, got none')))
  }
  const timer = timeout <= LONGEST_TIMER ? setTimeout(late, timeout) : undefined
  openTunnel(proxy!, {
    hostname,
    port,
    localAddress: null,
    started: (socket) => {
      opening = socket
    },
    opened: resolve,
    failed: (error) => reject(upstreamErrorOf(error, false)),
  })
  return promise.finally(() => clearTimeout(timer))
}
