import { request } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import type { ForwardProxy } from '#contracts'
import { isHttp1 } from './message-head.ts'
import { openToProxy } from './secure-proxy.ts'
import { sharedLookup } from './shared-lookup.ts'
import { UpstreamError } from './upstream-error.ts'

/** A server behind a proxy, with callbacks for the result. */
interface TunnelAttempt {
  readonly hostname: string
  readonly port: number
  readonly localAddress: string | null
  started(socket: Socket): void
  opened(socket: Socket): void
  failed(error: Error): void
}

/** Opens a tunnel to a server by CONNECT (RFC 9110 section 9.3.6). */
export function openTunnel(proxy: ForwardProxy, attempt: TunnelAttempt): void {
  if (proxy.secure === undefined) {
    sendConnect(proxy, attempt, null)
    return
  }
  openToProxy(proxy, attempt.localAddress, {
    isOver: () => false,
    started: (socket) => attempt.started(socket),
    opened: (socket) => sendConnect(proxy, attempt, socket),
    failed: (error) => attempt.failed(new ProxyConnectionError(proxy, error)),
  })
}

function sendConnect(proxy: ForwardProxy, attempt: TunnelAttempt, over: Socket | null): void {
  const authority = `${isIPv6(attempt.hostname) ? `[${attempt.hostname}]` : attempt.hostname}:${attempt.port}`
  const authorization = proxy.authorization()
  const asking = request({
    host: proxy.hostname,
    port: proxy.port,
    lookup: sharedLookup,
    ...(attempt.localAddress === null ? {} : { localAddress: attempt.localAddress }),
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...(authorization === null ? {} : { 'proxy-authorization': authorization }) },
    ...(over === null ? { agent: false } : { createConnection: () => over }),
  })
  asking.once('socket', (socket) => attempt.started(socket))
  asking.once('error', (error) => attempt.failed(new ProxyConnectionError(proxy, error)))
  asking.once('connect', (answer, socket: Socket, early) => {
    const { statusCode = 0 } = answer
    // The server sends nothing before the TLS ClientHello: early bytes are from the proxy.
    const isOpen = statusCode >= 200 && statusCode < 300 && isHttp1(answer) && early.length === 0
    socket.on('error', (error) => attempt.failed(new ProxyConnectionError(proxy, error)))
    if (isOpen) {
      attempt.opened(socket)
      return
    }
    socket.destroy()
    attempt.failed(proxyRefusal(statusCode))
  })
  asking.end()
}

/** A failed connection to a proxy: without the address of the proxy, the log would show that of the server only. */
export class ProxyConnectionError extends Error {
  override readonly name = 'ProxyConnectionError'
  readonly code: string

  constructor({ hostname, port }: Pick<ForwardProxy, 'hostname' | 'port'>, error: NodeJS.ErrnoException) {
    super(`proxy ${hostname}:${port}: ${error.message}`)
    this.code = error.code ?? ''
  }
}

/** The error for a proxy that refuses a request. */
export function proxyRefusal(status: number): UpstreamError {
  return new UpstreamError(
    'GW_UPSTREAM_PROXY',
    new Error(`proxy: expected a 2xx response to CONNECT or to the request, got ${status}`),
  )
}
