import { connect, isIPv6, type Socket } from 'node:net'
import type { ForwardProxy } from '#contracts'
import { ResponseParser } from './http1/response-parser.ts'
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

const MAX_HEAD_BYTES = 65_536

/** Opens a tunnel to a server by CONNECT (RFC 9110 section 9.3.6). */
export function openTunnel(proxy: ForwardProxy, attempt: TunnelAttempt): void {
  const failed = (error: Error) => attempt.failed(new ProxyConnectionError(proxy, error))
  const opened = (socket: Socket) => requestTunnel(socket, proxy, attempt, failed)
  if (proxy.secure === undefined) openPlain(proxy, attempt, opened, failed)
  else {
    openToProxy(proxy, attempt.localAddress, {
      isOver: () => false,
      started: (socket) => attempt.started(socket),
      opened,
      failed,
    })
  }
}

function openPlain(
  { hostname, port }: ForwardProxy,
  { localAddress, started }: TunnelAttempt,
  opened: (socket: Socket) => void,
  failed: (error: Error) => void,
): void {
  const socket = connect({
    host: hostname,
    port,
    noDelay: true,
    lookup: sharedLookup,
    ...(localAddress === null ? {} : { localAddress }),
  })
  socket.on('error', failed)
  socket.once('connect', () => opened(socket))
  started(socket)
}

/** Sends CONNECT, and waits for the final response; informational ones may precede it (RFC 9110 section 15.2). */
function requestTunnel(
  socket: Socket,
  proxy: ForwardProxy,
  attempt: TunnelAttempt,
  failed: (error: Error) => void,
): void {
  let status = 0
  const ignore = () => {}
  const onHead = (head: { readonly status: number }) => {
    status = head.status
  }
  const events = { onInterim: ignore, onHead, onData: ignore, onComplete: ignore }
  const parser = new ResponseParser({ maxHeadBytes: MAX_HEAD_BYTES }, events)
  parser.expect('CONNECT', false)
  // Not `data`, after which the next reader would have to resume the socket.
  const onReadable = () => {
    try {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
        const rest = chunk.length - parser.execute(chunk)
        if (status === 0) continue
        settle()
        if (status >= 300) throw proxyRefusal(status)
        // The server sends nothing before the TLS ClientHello: early bytes are from the proxy.
        if (rest + socket.readableLength > 0) throw earlyBytes(rest)
        attempt.opened(socket)
        return
      }
    } catch (error) {
      settle()
      if (error instanceof UpstreamError) attempt.failed(error)
      // Without its code, which is for responses of servers.
      else failed(new Error((error as Error).message))
      socket.destroy()
    }
  }
  const onClose = () => {
    failed(new Error('expected a response to CONNECT, got the end of the connection'))
    socket.destroy()
  }
  const settle = () => socket.off('readable', onReadable).off('end', onClose).off('close', onClose)
  socket.on('error', failed).on('readable', onReadable).on('end', onClose).on('close', onClose)
  socket.write(connectHead(proxy, attempt), 'latin1')
}

function connectHead(proxy: ForwardProxy, { hostname, port }: TunnelAttempt): string {
  const authority = `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`
  const authorization = proxy.authorization()
  const credentials = authorization === null ? '' : `Proxy-Authorization: ${authorization}\r\n`
  return `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`
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

function earlyBytes(count: number): UpstreamError {
  return new UpstreamError(
    'GW_UPSTREAM_PROXY',
    new Error(`proxy: expected nothing after its response to CONNECT, got ${count} bytes`),
  )
}
